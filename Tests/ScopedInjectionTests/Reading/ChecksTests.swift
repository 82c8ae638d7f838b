import ScopedInjection
import Testing

private struct Unbuilt: Error {}

extension ScopeValues {
    fileprivate static var store: ScopeValue<Product> { .required() }
    fileprivate static var other: ScopeValue<Product> { .required() }
    fileprivate static var declared: ScopeValue<Product> { .lazy(isSafeInTests: true) { _ in throw Unbuilt() } }
    fileprivate static var link: ScopeValue<Deferred<Product>> {
        .lazy(isSafeInTests: true) { _ in Deferred { throw Unbuilt() } }
    }
    fileprivate static var cart: ScopeValue<Product> {
        .lazy(.once(in: .request), isSafeInTests: true) { _ in Product("cart") }
    }
    fileprivate static var visitor: ScopeValue<String> { .value("nobody", isSafeInTests: true) }
    fileprivate static var greeting: ScopeValue<Product> { .lazy(isSafeInTests: true) { Product(try $0.visitor) } }
    fileprivate static var newCheckout: ScopeValue<Bool> { .off }
    fileprivate static var deleteEverything: ScopeValue<Bool> { .off }
}

extension ScopeValue where Value == Bool { fileprivate static var off: Self { .value(false, isSafeInTests: true) } }

/// What a program can ask at its start, and the first request.
private enum Check: CaseIterable { case validate, prepare, validateChild, request }

/// A mistake that a program makes: what it does to the application's scope, its handler, and what a request does.
private struct Mistake: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var make: @Sendable (EnvironmentScope) -> Void = { _ in }
    var role: ScopeRole? = .request
    let handler: @Sendable () -> any Sendable
    let respond: @Sendable (EnvironmentScope) async throws -> Void
    let found: Set<Check>

    static let all: [Mistake] = [
        Mistake(
            testDescription: "What is provided, and a handler's property reads, cannot be built",
            make: { $0.provide(\.store) { _ in throw Unbuilt() } },
            handler: { OfStore() },
            respond: { _ = try $0.value(for: \.store) },
            found: [.validate, .prepare, .validateChild, .request]
        ),
        Mistake(
            testDescription: "What is provided needs itself",
            make: {
                $0.provide(\.store) { try $0.other }
                $0.provide(\.other) { try $0.store }
            },
            handler: { OfStore() },
            respond: { _ = try $0.value(for: \.store) },
            found: [.validate, .prepare, .validateChild, .request]
        ),
        Mistake(
            testDescription: "What is provided, and no handler's property reads, cannot be built",
            make: { $0.provide(\.store) { _ in throw Unbuilt() } },
            handler: { 0 },
            respond: { _ = try $0.value(for: \.store) },
            found: [.validate, .prepare, .request]
        ),
        Mistake(
            testDescription: "Nobody sets what a handler's property reads",
            handler: { OfStore() },
            respond: { _ = try $0.value(for: \.store) },
            found: [.validateChild, .request]
        ),
        Mistake(
            testDescription: "What only its declaration builds, and a handler's property reads, cannot be built",
            handler: { OfDeclared() },
            respond: { _ = try $0.value(for: \.declared) },
            found: [.validateChild, .request]
        ),
        Mistake(
            testDescription: "Nobody sets what a handler reads from the current scope",
            handler: { Reading() },
            respond: { scope in try scope { try Reading().run() } },
            found: [.request]
        ),
        Mistake(
            testDescription: "Nobody sets what a handler reads that a router has as a closure",
            handler: { Router(respond: { try OfStore().$store.value() }) },
            respond: { scope in _ = try scope { try OfStore().$store.value() } },
            found: [.request]
        ),
        Mistake(
            testDescription: "What is deferred, and provided, cannot be made",
            make: { $0.provide(\.link) { _ in Deferred { throw Unbuilt() } } },
            handler: { OfLink() },
            respond: { _ = try await $0.link() },
            found: [.prepare, .request]
        ),
        Mistake(
            testDescription: "What is deferred by its declaration cannot be made",
            handler: { OfLink() },
            respond: { _ = try await $0.link() },
            found: [.request]
        ),
        Mistake(
            testDescription: "What begins in a request is read where no scope has its role",
            make: { $0.provide(\.other) { try $0.cart } },
            role: nil,
            handler: { 0 },
            respond: { _ = try $0.value(for: \.other) },
            found: [.request]
        ),
        Mistake(
            testDescription: "A service that all requests should share is built from what each sets",
            handler: { OfGreeting() },
            respond: { $0.visitor = $0.greeting.text },
            found: []
        ),
        Mistake(
            testDescription: "A handler takes a value of each request when it is made",
            handler: { OfVisitor() },
            respond: {
                let handler = OfVisitor()
                $0.visitor = "Ada"
                #expect(handler.visitor == "nobody")
            },
            found: []
        ),
        Mistake(
            testDescription: "One value has two names",
            make: { $0.newCheckout = true },
            handler: { OfFlag() },
            respond: { #expect($0.deleteEverything) },
            found: []
        ),
    ]
}

private struct OfStore: Sendable { @Injected(\.store) var store }
private struct OfDeclared: Sendable { @Injected(\.declared) var declared }
private struct OfLink: Sendable { @Injected(\.link) var link }
private struct OfGreeting: Sendable { @Injected(\.greeting) var greeting }
private struct OfFlag: Sendable { @Injected(\.deleteEverything) var deleteEverything }
private struct OfVisitor: Sendable { let visitor = EnvironmentScope.current.visitor }
private struct Router: Sendable { let respond: @Sendable () throws -> Product }
private struct Reading: Sendable { func run() throws { _ = try EnvironmentScope.current.value(for: \.store) } }

/// The table of the article on testing.
@Suite("Each check finds the mistakes that it is for, and no others", .programRoots)
struct ChecksTests {
    @Test("Of a mistake", arguments: Mistake.all)
    fileprivate func found(_ mistake: Mistake) async {
        var found: Set<Check> = []
        for check in Check.allCases {
            let app = EnvironmentScope("app", role: .application, parent: nil) { mistake.make($0) }
            do {
                switch check {
                case .validate: try app.validate()
                case .prepare: try await app.prepare()
                case .validateChild:
                    try await app.validateChild("request", role: .request, of: mistake.handler()) { _ in }
                case .request:
                    try await app.withChild("request", role: mistake.role) { try await mistake.respond(.current) }
                }
            } catch { found.insert(check) }
        }
        #expect(found == mistake.found)
    }
}
