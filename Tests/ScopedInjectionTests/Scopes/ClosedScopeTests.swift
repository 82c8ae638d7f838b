import ScopedInjection
import Testing

@Suite("R11: reads in a closed scope")
struct ClosedScopeTests {
    @Test("Closing releases the values that the scope built, not those that were set")
    func released() async {
        let scope = EnvironmentScope("app", parent: nil) { $0[SetKey.self] = Resource() }
        weak let set = scope[SetKey.self]
        weak let kept = scope[KeptKey.self]
        #expect(kept != nil)
        await scope.close()
        #expect(kept == nil)
        #expect(set != nil)
        #expect(scope[SetKey.self] === set)
    }

    @Test("A closed scope returns values that are set in it, set above, or kept above")
    func stillGives() async throws {
        let app = EnvironmentScope("app", parent: nil) { $0.token = Token(text: "secret") }
        let request = EnvironmentScope("request", parent: app) { $0.host = "example.org" }
        #expect(app.port == 8080)
        await request.close()
        #expect(try request.value(for: HostKey.self) == "example.org")
        #expect(try request.value(for: TokenKey.self) == Token(text: "secret"))
        #expect(try request.value(for: PortKey.self) == 8080)
        request.host = "example.com"
        #expect(request.host == "example.com")
    }

    @Test("A value that could not be kept there is built once the scope has a parent, for captors too")
    func movedAfterwards() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        let captured = EnvironmentScope.empty("captured", parent: nil)
        await captured.close()
        app.provide(TextKey.self) { [unowned captured] _ in
            (try? captured.value(for: SharedKey.self)).map { "\($0)" } ?? "none"
        }
        #expect(app[TextKey.self] == "none")
        captured.parent = app
        #expect(app[TextKey.self] == "1")
    }

    @Test("A value that could not be kept there is built once a policy keeps it nearer")
    func keptNearerAfterwards() async {
        let root = EnvironmentScope.empty("root", parent: nil)
        let forbidding = EnvironmentScope.empty("forbidding", parent: root, defaults: .forbidden)
        let scope = EnvironmentScope.empty("scope", parent: root, defaults: .allowed)
        await root.close()
        let holder = EnvironmentScope.empty("holder", parent: scope, defaults: .allowed)
        holder.provide(TextKey.self) { [unowned scope] _ in
            (try? scope.value(for: SharedKey.self)).map { "\($0)" } ?? "none"
        }
        #expect(holder[TextKey.self] == "none")
        scope.parent = forbidding
        #expect(holder[TextKey.self] == "1")
    }

    @Test("The error of one read is not that of another, which keeps the value elsewhere")
    func otherKeeper() async {
        let root = EnvironmentScope.empty("root", parent: nil)
        let forbidding = EnvironmentScope.empty("forbidding", parent: root, defaults: .forbidden)
        let allowing = EnvironmentScope.empty("allowing", parent: forbidding, defaults: .allowed)
        await root.close()
        for _ in 0..<20 {
            let outcomes = Box<[Int: String]>([:])
            await onThreads(2) { index in
                let scope = index == 0 ? root : allowing
                let outcome: String
                do throws(ScopeError) {
                    outcome = "\(try scope.value(for: SlowSharedKey.self))"
                } catch {
                    outcome = "\(error.code)"
                }
                outcomes.update { $0[index] = outcome }
            }
            #expect(outcomes.value == [0: "closed", 1: "1"])
            allowing.removeAll()
        }
    }

    @Test("A closed scope returns values that are built further out, and transient ones", arguments: Lifetime.allCases)
    func buildsFurtherOut(lifetime: Lifetime) async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        await request.close()
        if lifetime == .scoped {
            let error = try #require(throws: ScopeError.self) { try lifetime.read(in: request) }
            #expect(error.code == .closed)
            #expect(error.searchedScopes == [#""request""#, #""app""#])
            #expect(error.description.contains(#""request" is closed"#))
        } else {
            #expect(try lifetime.read(in: request) == 1)
        }
        #expect(try lifetime.read(in: app) == 1)
    }

    @Test("A standalone closed scope builds only transient values", arguments: Lifetime.allCases)
    func standingAlone(lifetime: Lifetime) async throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        await scope.close()
        if lifetime == .transient {
            #expect(try lifetime.read(in: scope) == 1)
        } else {
            let error = try #require(throws: ScopeError.self) { try lifetime.read(in: scope) }
            #expect(error.code == .closed)
        }
    }

    @Test("A value whose input a closed scope overrides would have to be kept there, which is an error")
    func overriddenInput() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope("request", parent: app) { $0.port = 1 }
        app.provide(HostKey.self) { builder in "host:\(builder.port)" }
        await request.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: HostKey.self) }
        #expect(error.code == .closed)
        #expect(app.host == "host:8080")
        request.removeValue(for: PortKey.self)
        #expect(request.host == "host:8080")
    }

    @Test("A value built further out for a closed scope is kept there, and shared with others")
    func sharedFurtherOut() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        await request.close()
        let built = request[KeptKey.self]
        #expect(app.localValue(for: KeptKey.self) === built)
        #expect(request.localValue(for: KeptKey.self) == nil)
    }

    @Test("A transient value is built in a closed scope if its inputs resolve")
    func transientInputs() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        app.provide(TransientKey.self) { builder in try builder.value(for: SharedKey.self) }
        await request.close()
        #expect(try request.value(for: TransientKey.self) == 1)
        app.provide(TransientKey.self) { builder in try builder.value(for: ScopedKey.self) }
        let error = try #require(throws: ScopeError.self) { try request.value(for: TransientKey.self) }
        #expect(error.code == .closed)
        #expect(error.key == "ScopedKey")
        #expect(error.path == ["TransientKey", "ScopedKey"])
    }

    @Test("A value built before closing has to be built again, which is an error")
    func keptIsGone() async throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        #expect(scope.port == 8080)
        await scope.close()
        let error = try #require(throws: ScopeError.self) { try scope.value(for: PortKey.self) }
        #expect(error.code == .closed)
    }

    @Test("An open child of a closed scope cannot have a value kept there")
    func keepsNothing() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        await app.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: PortKey.self) }
        #expect(error.code == .closed)
        #expect(error.description.contains(#""app" is closed"#))
        #expect(app.localValue(for: PortKey.self) == nil)
    }

    @Test("An open child of a closed scope builds the values that it keeps itself")
    func childKeepsItsOwn() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope("request", parent: app) { $0.token = Token(text: "mine") }
        app.provide(HostKey.self) { builder in try builder.value(for: TokenKey.self).text }
        await app.close()
        #expect(try request.value(for: HostKey.self) == "mine")
        #expect(request.localValue(for: HostKey.self) == "mine")
    }

    @Test("The error of an input that a closed scope refuses names the path of keys")
    func closedInput() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope("request", parent: app) { scope in
            scope.provide(HostKey.self) { builder in "\(try builder.value(for: PortKey.self))" }
        }
        await app.close()
        let error = try #require(throws: ScopeError.self) { try request.value(for: HostKey.self) }
        #expect(error.code == .closed)
        #expect(error.key == "PortKey")
        #expect(error.path == ["HostKey", "PortKey"])
    }
}

// MARK: - Values of the tests

private final class Resource: Sendable {}

private enum SetKey: ScopeKey { typealias Value = Resource? }

private enum KeptKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Resource { Resource() }
}

private enum SharedKey: ScopeKey { static let defaultValue = 1 }

private enum TextKey: ScopeKey { static let defaultValue = "" }

private enum SlowSharedKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Int {
        // Lets another read of it wait.
        Meeting().meet()
        return 1
    }
}

private enum ScopedKey: ScopeKey {
    static let defaultValue = 1
    static let lifetime = ValueLifetime.scoped
}

private enum TransientKey: ScopeKey {
    static let defaultValue = 1
    static let lifetime = ValueLifetime.transient
}

extension ClosedScopeTests {
    enum Lifetime: CaseIterable {
        case shared, scoped, transient

        func read(in scope: EnvironmentScope) throws -> Int {
            switch self {
            case .shared: try scope.value(for: SharedKey.self)
            case .scoped: try scope.value(for: ScopedKey.self)
            case .transient: try scope.value(for: TransientKey.self)
            }
        }
    }
}
