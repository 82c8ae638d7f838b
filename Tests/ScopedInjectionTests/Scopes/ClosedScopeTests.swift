import ScopedInjection
import Testing

private final class Resource: Sendable {}

extension ScopeValues {
    fileprivate static var setOne: ScopeValue<Resource?> { .optional() }
    fileprivate static var builds: ScopeValue<Box<Int>> { .required() }
    fileprivate static var shared: ScopeValue<Resource> { .lazy { _ in Resource() } }
    fileprivate static var scoped: ScopeValue<Resource> {
        .lazy(.scoped) { reader in
            try reader.builds.update { $0 += 1 }
            return Resource()
        }
    }
    fileprivate static var ofScoped: ScopeValue<Resource> { .lazy { try $0.scoped } }
    fileprivate static var transient: ScopeValue<Resource> { .lazy(.transient) { _ in Resource() } }
    fileprivate static var brief: ScopeValue<Resource> { .lazy(.transient) { try $0.scoped } }
    fileprivate static var counting: ScopeValue<Resource> {
        .lazy { reader in
            try reader.builds.update { $0 += 1 }
            return Resource()
        }
    }
}

@Suite("R11: a closed scope gives what is set in it and above, and what is or can be kept above")
struct ClosedScopeTests {
    private let builds = Box(0)
    private let app: EnvironmentScope
    private let request: EnvironmentScope

    init() {
        let builds = builds
        app = EnvironmentScope("app", parent: nil) { $0.builds = builds }
        request = .empty("request", parent: app)
    }

    // MARK: What it gives

    @Test("Values that are set in it or above, and constants")
    func set() async throws {
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

    @Test("Not the values that it had kept, of which it lets go; those that were set stay")
    func released() async {
        let scope = EnvironmentScope("scope", parent: nil) { $0.setOne = Resource() }
        weak let set = scope.setOne
        weak let kept = scope.shared
        #expect(kept != nil)
        await scope.close()
        #expect(kept == nil)
        #expect(set != nil)
        #expect(scope.setOne === set)
        #expect(throws: ScopeError.self) { try scope.value(for: \.shared) }
    }

    @Test("Values that are kept further out, and those that are built there now")
    func furtherOut() async throws {
        await request.close()
        let built = try request.value(for: \.shared)
        #expect(app.localValue(for: \.shared) === built)
        #expect(request.localValue(for: \.shared) == nil)
        #expect(try request.value(for: \.shared) === built)
    }

    @Test("Transient values, if what they need can be had")
    func transient() async throws {
        await request.close()
        #expect(try request.value(for: \.transient) !== request.value(for: \.transient))
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.brief) }
        #expect(error.code == .closed)
        #expect(error.name == "scoped")
        #expect(error.path == ["brief", "scoped"])
    }

    // MARK: What it would have to keep

    @Test("A scoped value is an error that names the closed scope, and its builder does not run")
    func scoped() async throws {
        await request.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.scoped) }
        #expect(error.code == .closed)
        #expect(error.searchedScopes == [#""request""#, #""app""#])
        #expect(error.description.contains(#"cannot be built: "request" is closed"#))
        #expect(builds.value == 0)
        #expect(throws: Never.self) { try app.value(for: \.scoped) }
        #expect(builds.value == 1)
    }

    @Test("So is any built value of a closed root, for an open scope below it too")
    func root() async throws {
        await app.close()
        for scope in [app, request] {
            let error = try #require(throws: ScopeError.self) { try scope.value(for: \.counting) }
            #expect(error.code == .closed)
            #expect(error.description.contains(#""app" is closed"#))
            // What the builder reads could belong to the open scope, so only the closed one knows before.
            #expect(builds.value == (scope === app ? 0 : 1))
        }
        #expect(app.localValue(for: \.counting) == nil)
    }

    @Test("A value whose input it overrides is an error", arguments: [true, false])
    func overriddenInput(isReadBefore: Bool) async throws {
        request.port = 1
        app.provide(\.host) { "host:\(try $0.port)" }
        if isReadBefore { #expect(request.host == "host:1") }
        await request.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.host) }
        #expect(error.code == .closed)
        #expect(app.host == "host:8080")
        request.removeValue(for: \.port)
        #expect(request.host == "host:8080")
    }

    @Test("The error of an input names the values on the way")
    func closedInput() async throws {
        request.provide(\.host) { reader in
            _ = try reader.counting
            return ""
        }
        await app.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.host) }
        #expect(error.code == .closed)
        #expect(error.name == "counting")
        #expect(error.path == ["host", "counting"])
    }

    // MARK: Beside it

    @Test("A value that could not be kept there is built once the scope has another parent")
    func movedAfterwards() async throws {
        let text = ScopeValue<String>.lazy(id: "text") { (try? $0.counting) == nil ? "refused" : "given" }
        let open = EnvironmentScope("open", parent: nil) { [builds] in $0.builds = builds }
        let part = EnvironmentScope("part", parent: app) { [builds] in $0.builds = builds }
        part.provide(\.counting) { try $0.shared }
        await app.close()
        #expect(try part.value(for: { _ in text }) == "refused")
        part.parent = open
        #expect(try part.value(for: { _ in text }) == "given")
    }

    @Test("What was built without what it refused is not given to an open scope")
    func refusedOnlyHere() async {
        app.provide(\.host) { (try? $0.scoped) == nil ? "refused" : "given" }
        await request.close()
        #expect((try? request.value(for: \.host)) != "given")
        #expect(app.host == "given")
        let part = EnvironmentScope.empty("part", parent: request)
        #expect(part.host == "given")
    }

    // MARK: Last reads

    /// Reads when it goes, and tells what it was given.
    private final class Farewell: Sendable {
        private let host = Injected(\.host)
        private let log: Log
        init(_ log: Log) { self.log = log }
        deinit { log.add((try? host.value()) ?? "an error") }
    }

    @Test("A value that goes while the scope closes may read what is set there")
    func lastRead() async {
        let log = Log()
        request.host = "request"
        request.provide(\.anything) { reader in
            _ = try reader.host
            return Farewell(log)
        }
        #expect(request.anything != nil)
        await request { await request.close() }
        #expect(log.lines == ["request"])
    }
}
