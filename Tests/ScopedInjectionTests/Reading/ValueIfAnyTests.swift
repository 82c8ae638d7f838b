import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var secret: ScopeValue<String> { .required() }
    fileprivate static var nickname: ScopeValue<String> { .required() }
    fileprivate static var built: ScopeValue<String> { .lazy { "built from \(try $0.secret)" } }
}

@Suite("valueIfAny: a value, or nil if there is none", .programRoots)
struct ValueIfAnyTests {
    private let (app, request): (EnvironmentScope, EnvironmentScope)

    init() { (app, request) = makeScopes() }

    @Test("valueIfAny is nil if nothing is set or provided and there is no default") func missing() throws {
        #expect(try request.valueIfAny(for: \.secret) == nil)
        app.secret = "app"
        #expect(try request.valueIfAny(for: \.secret) == "app")
        request.secret = "request"
        #expect(try request.valueIfAny(for: \.secret) == "request")
        request.removeValue(for: \.secret)
        app.removeValue(for: \.secret)
        #expect(try request.valueIfAny(for: \.secret) == nil)
    }

    @Test("valueIfAny is the value that a provided builder builds, kept like any other") func provided() throws {
        app.provide(\.secret) { "provided \(try $0.port)" }
        #expect(try request.valueIfAny(for: \.secret) == "provided 8080")
        #expect(app.localValue(for: \.secret) == "provided 8080")
    }

    @Test("valueIfAny is the default if there is one, nil included") func defaults() throws {
        #expect(try request.valueIfAny(for: \.port) == 8080)
        #expect(try request.valueIfAny(for: \.user) == .some(nil))
        app.user = User(name: "Ada")
        #expect(try request.valueIfAny(for: \.user) == User(name: "Ada"))
    }

    @Test("A missing input is an error, because there is a builder or an alias; a decoration of nothing is nothing")
    func missingInput() throws {
        let built = try #require(throws: ScopeError.self) { try request.valueIfAny(for: \.built) }
        #expect(built.code == .missingValue && built.path == ["built", "secret"])
        app.alias(\.nickname, to: \.secret)
        #expect(throws: ScopeError.self) { try request.valueIfAny(for: \.nickname) }
        app.decorate(\.secret) { inherited, _ in inherited + "!" }
        #expect(try request.valueIfAny(for: \.secret) == nil)
    }

    @Test("Every other failure is an error: a builder's, a parent gone, a forbidden default, a closed scope, a cycle")
    func otherErrors() async throws {
        func code(_ body: () throws -> Any?) -> ScopeError.Code? {
            do {
                _ = try body()
                return nil
            } catch { return (error as? ScopeError)?.code }
        }
        app.provide(\.nickname) { _ in throw CancellationError() }
        #expect(code { try request.valueIfAny(for: \.nickname) } == .makeFailed)
        let orphan = EnvironmentScope.empty("orphan", parent: .empty("gone", parent: nil))
        #expect(code { try orphan.valueIfAny(for: \.secret) } == .parentReleased)
        let strict = EnvironmentScope.empty("strict", parent: nil, defaults: .forbidden)
        #expect(code { try strict.valueIfAny(for: \.port) } == .defaultForbidden)
        #expect(code { try strict.valueIfAny(for: \.secret) } == nil)
        let closed = EnvironmentScope.empty("closed", parent: nil)
        closed.provide(\.secret) { $0.withCleanup("late") }
        await closed.close()
        #expect(code { try closed.valueIfAny(for: \.secret) } == .closed)
        app.provide(\.secret) { try $0.built }
        #expect(code { try request.valueIfAny(for: \.secret) } == .cycle)
    }
}
