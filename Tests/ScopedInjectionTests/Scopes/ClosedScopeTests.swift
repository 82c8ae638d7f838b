import ScopedInjection
import Testing

private final class Resource: Sendable {}

extension ScopeValues {
    fileprivate static var setOne: ScopeValue<Resource?> { .optional() }
    fileprivate static var shared: ScopeValue<Resource> { .lazy { _ in Resource() } }
    fileprivate static var text: ScopeValue<String> { .lazy { "port \(try $0.port)" } }
    fileprivate static var cleaned: ScopeValue<Resource> { .lazy { $0.withCleanup(Resource()) } }
    fileprivate static var ofCleaned: ScopeValue<Resource> {
        .lazy { reader in
            _ = try reader.cleaned
            return Resource()
        }
    }
    fileprivate static var session: ScopeValue<Resource> { .lazy(.once(in: .request)) { $0.withCleanup(Resource()) } }
    fileprivate static var cart: ScopeValue<Resource> { .lazy(.once(in: .request)) { _ in Resource() } }
    fileprivate static var transient: ScopeValue<Resource> { .lazy(.transient) { _ in Resource() } }
    fileprivate static var brief: ScopeValue<Resource> { .lazy(.transient) { try $0.session } }
}

@Suite("R11: a closed scope gives and builds all but values with cleanups that it would have to keep", .programRoots)
struct ClosedScopeTests {
    private let (app, request): (EnvironmentScope, EnvironmentScope)

    init() { (app, request) = makeScopes(role: .request) }

    // MARK: What it gives

    @Test("Values that are set in it or above, and constants") func set() async throws {
        app.token = Token(text: "secret")
        request.host = "example.org"
        await request.close()
        #expect(try request.value(for: \.host) == "example.org")
        #expect(try request.value(for: \.token) == Token(text: "secret"))
        #expect(try request.value(for: \.port) == 8080)
        #expect(try request.value(for: \.user) == nil)
        request.host = "example.com"
        #expect(request.host == "example.com")
        await app.close()
        #expect(try app.value(for: \.port) == 8080)
        #expect(try request.value(for: \.token) == Token(text: "secret"))
    }

    @Test("A closed scope lets go of the values that have cleanups, and of what was built from them; the others stay")
    func released() async {
        let scope = EnvironmentScope("scope", parent: nil) { $0.setOne = Resource() }
        weak let cleaned = scope.cleaned
        weak let ofCleaned = scope.ofCleaned
        let (set, kept) = (scope.setOne, scope.shared)
        #expect(ofCleaned != nil)
        await scope.close()
        #expect(cleaned == nil)
        #expect(ofCleaned == nil)
        #expect(scope.setOne === set && scope.shared === kept)
        #expect(throws: ScopeError.self) { try scope.value(for: \.cleaned) }
        #expect(throws: ScopeError.self) { try scope.value(for: \.ofCleaned) }
    }

    @Test("What an open scope further in has built from a value with a cleanup goes when it is next read")
    func releasedFurtherIn() async throws {
        request.provide(\.host) { reader in
            _ = try reader.cleaned
            return "host of \(try reader.port)"
        }
        request.port = 1
        #expect(request.host == "host of 1")
        await app.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.host) }
        #expect(error.code == .closed && error.path == ["host", "cleaned"])
    }

    @Test("What has no cleanup is built and kept late, and observers are told") func late() async throws {
        let events = app.events()
        request.port = 1
        await request.close()
        #expect(try request.value(for: \.text) == "port 1")
        #expect(request.localValue(for: \.text) == "port 1")
        #expect(app.text == "port 8080")
        request.port = 2
        #expect(request.text == "port 2")
        #expect(events.value.map(\.kind) == [.builtLate, .built, .discarded, .builtLate])
        #expect(events.value[0].description.hasSuffix("kept in \"request\", which is closed"))
    }

    @Test("Values that are kept further out, and those that are built there now") func furtherOut() async throws {
        await request.close()
        let built = try request.value(for: \.shared)
        #expect(app.localValue(for: \.shared) === built)
        #expect(request.localValue(for: \.shared) == nil)
        #expect(try request.value(for: \.shared) === built)
    }

    @Test("Transient values, if what they need can be had") func transient() async throws {
        await request.close()
        #expect(try request.value(for: \.transient) !== request.value(for: \.transient))
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.brief) }
        #expect(error.code == .closed && error.name == "session" && error.path == ["brief", "session"])
    }

    // MARK: What it would have to keep

    @Test("A value that would stay in it is an error that names the closed scope") func staying() async throws {
        await request.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.session) }
        #expect(error.code == .closed && error.searchedScopes == ["request", "app"])
        #expect(error.description.contains(#"cannot be built: "request" is closed"#))
        let next = EnvironmentScope.empty("next", role: .request, parent: app)
        #expect(throws: Never.self) { try next.value(for: \.session) }
    }

    @Test("The builder runs, and what it has made is cleaned up before the error is thrown")
    func refused() async throws {
        let log = Log()
        await app.close()
        app.provide(\.host) { reader in
            log.add("built")
            return reader.withCleanup("host") { log.add("cleaned up") }
        }
        for count in 1...2 {
            #expect(throws: ScopeError.self) { try app.value(for: \.host) }
            #expect(log.lines.count == 2 * count)
        }
        #expect(log.lines == ["built", "cleaned up", "built", "cleaned up"])
    }

    @Test("A value with a cleanup of a closed root is an error, for an open scope below it, too")
    func root() async throws {
        await app.close()
        for scope in [app, request] {
            let error = try #require(throws: ScopeError.self) { try scope.value(for: \.cleaned) }
            #expect(error.code == .closed && error.description.contains(#""app" is closed"#))
        }
        #expect(app.localValue(for: \.cleaned) == nil)
    }

    @Test("A value with a cleanup whose input it overrides is an error", arguments: [true, false])
    func overriddenInput(isReadBefore: Bool) async throws {
        request.port = 1
        app.provide(\.host) { $0.withCleanup("host:\(try $0.port)") }
        if isReadBefore { #expect(request.host == "host:1") }
        await request.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.host) }
        #expect(error.code == .closed)
        #expect(app.host == "host:8080")
        request.removeValue(for: \.port)
        #expect(request.host == "host:8080")
    }

    // MARK: While the ends run

    private func close(_ scope: EnvironmentScope, meanwhile body: () -> Void) async {
        let (begun, mayEnd) = (Barrier(), Barrier())
        scope.onClose {
            begun.open()
            await mayEnd.pass()
        }
        let closing = Task { await scope.close() }
        await begun.pass()
        body()
        mayEnd.open()
        await closing.value
    }

    @Test("What was built further in from a value that stays is not given, where that has a cleanup")
    func endingStays() async {
        let part = EnvironmentScope.empty("part", parent: request)
        part.provide(\.host) { "host of \(try $0.session)" }
        _ = part.host
        await close(request) {
            #expect(throws: ScopeError.self) { try part.value(for: \.host) }
        }
    }

    @Test("What goes on without what it was refused is not given to another request") func refusedMeanwhile() async {
        app.provide(\.anything) { reader in
            _ = try reader.port
            reader.onClose {}
            return Resource()
        }
        app.provide(\.host) { (try? $0.anything) == nil ? "refused" : "given" }
        _ = app.anything
        let other = EnvironmentScope("other", parent: app) { $0.port = 1 }
        await close(app) {
            #expect(request.host == "refused")
            #expect(other.host == "given")
        }
        await other.close()
    }

    @Test("What was built without what it refused is not given to another request") func refusedOnlyHere() async {
        app.provide(\.host) { (try? $0.session) == nil ? "refused" : "given" }
        await request.close()
        #expect(request.host == "refused")
        #expect(EnvironmentScope.empty("part", parent: request).host == "refused")
        #expect(EnvironmentScope.empty("next", role: .request, parent: app).host == "given")
    }

    @Test("What is begun late in a closed request is given within it, and a request further in has its own")
    func begunLate() async {
        await request.close()
        let cart = request.cart
        #expect(EnvironmentScope.empty("part", parent: request).cart === cart)
        let inner = EnvironmentScope.empty("inner", role: .request, parent: request)
        #expect(inner.cart !== cart)
        #expect(request.cart === cart)
    }

    @Test("A value that goes while the scope closes may read what is set there") func lastRead() async {
        let log = Log()
        request.host = "request"
        request.provide(\.anything) { reader in
            _ = try reader.host
            return reader.withCleanup(Farewell { log.add((try? Injected(\.host).value()) ?? "an error") })
        }
        #expect(request.anything != nil)
        await request { await request.close() }
        #expect(log.lines == ["request"])
    }
}
