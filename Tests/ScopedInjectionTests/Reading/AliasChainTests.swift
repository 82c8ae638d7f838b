import ScopedInjection
import Testing

@Suite("R12: several aliases, circles, and aliases of a scope that is gone")
struct AliasChainTests {
    @Test("A chain of aliases makes all its keys one", arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    func chain(order: [Int]) {
        let scope = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        let declare: [(EnvironmentScope) -> Void] = [
            { $0.alias(ReplicaNumberKey.self, to: MainNumberKey.self) },
            { $0.alias(BackupNumberKey.self, to: ReplicaNumberKey.self) },
            { $0.alias(ArchiveNumberKey.self, to: BackupNumberKey.self) },
        ]
        for index in order { declare[index](scope) }
        #expect([scope.main, scope.replica, scope.backup, scope.archive] == [1, 1, 1, 1])
        scope.backup = 2
        #expect([scope.main, scope.replica, scope.backup, scope.archive] == [2, 2, 2, 2])
    }

    @Test("A chain of aliases may lie in several scopes")
    func chainOfScopes() {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let request = EnvironmentScope.empty("request", parent: app)
        request.alias(BackupNumberKey.self, to: ReplicaNumberKey.self)
        #expect(request.backup == 1)
        request.backup = 2
        #expect([request.main, request.replica, request.backup] == [2, 2, 2])
        #expect([app.main, app.replica, app.backup] == [1, 1, BackupNumberKey.defaultValue])
    }

    @Test("Two aliases of one key are one value")
    func siblings() {
        let scope = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        scope.alias(BackupNumberKey.self, to: MainNumberKey.self)
        scope.replica = 2
        #expect(scope.backup == 2)
    }

    @Test("If two scopes of a chain have an alias of one key, the nearer one counts")
    func nearerAlias() {
        let app = EnvironmentScope("app", parent: nil) {
            $0.main = 1
            $0.backup = 2
        }
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let request = EnvironmentScope.empty("request", parent: app)
        request.alias(ReplicaNumberKey.self, to: BackupNumberKey.self)
        #expect(request.replica == 2)
        #expect(app.replica == 1)
    }

    // MARK: Circles

    @Test("If a new parent closes a circle of aliases, reads of their keys fail")
    func cycleByParent() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let request = EnvironmentScope.empty("request", parent: nil)
        request.alias(MainNumberKey.self, to: ReplicaNumberKey.self)
        #expect(request.main == ReplicaNumberKey.defaultValue)
        request.parent = app

        let error = try #require(throws: ScopeError.self) { try request.value(for: MainNumberKey.self) }
        #expect(error.code == .cycle)
        #expect(error.key == "MainNumberKey")
        #expect(error.path == ["MainNumberKey", "ReplicaNumberKey", "MainNumberKey"])
        #expect(throws: ScopeError.self) { try request.value(for: ReplicaNumberKey.self) }
        #expect(app.replica == MainNumberKey.defaultValue)

        request.parent = nil
        #expect(request.main == ReplicaNumberKey.defaultValue)
        request.parent = app
        request.removeAll()
        #expect(request.main == MainNumberKey.defaultValue)
    }

    @Test("The error names each alias on the way once, wherever the circle begins", arguments: [1, 2, 3, 5, 20])
    func circleFurtherAlong(count: Int) throws {
        for back in 0..<count {
            let keys = (0..<count).map { ScopeValue($0, name: "key \($0)") }
            let app = EnvironmentScope.empty("app", parent: nil)
            for (key, target) in zip(keys, keys.dropFirst()) { app.alias(key, to: target) }
            let request = EnvironmentScope.empty("request", parent: nil)
            let last = ScopeValue(0, name: "last")
            app.alias(keys[count - 1], to: last)
            request.alias(last, to: keys[back])
            request.parent = app
            let error = try #require(throws: ScopeError.self) { try request.value(for: keys[0]) }
            let names = (0..<count).map { "key \($0)" } + ["last"]
            #expect(error.path == names + [names[back]])
        }
    }

    @Test("A circle of aliases fails reads of its keys only")
    func otherKeys() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let request = EnvironmentScope("request", parent: nil) { $0.port = 1 }
        request.alias(MainNumberKey.self, to: ReplicaNumberKey.self)
        request.parent = app
        #expect(try request.value(for: PortKey.self) == 1)
        #expect(try request.value(for: HostKey.self) == "localhost")
    }

    @Test("A value built from a transient one is rebuilt when the alias leads elsewhere")
    func namesOfTransientValues() {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.alias(NameKey.self, to: FirstKey.self)
        #expect(app[BuiltFromNameKey.self] == "first")
        app.alias(NameKey.self, to: SecondKey.self)
        #expect(app[BuiltFromNameKey.self] == "second")
    }

    @Test("After a scope is gone, its alias is not used")
    func goneScope() throws {
        var app: EnvironmentScope? = .empty("app", parent: nil)
        app?.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let request = EnvironmentScope.empty("request", parent: app)
        request[MainNumberKey.self] = 1
        #expect(try request.value(for: ReplicaNumberKey.self) == 1)
        app = nil
        #expect(throws: ScopeError.self) { try request.value(for: ReplicaNumberKey.self) }
        #expect(try request.value(for: MainNumberKey.self) == 1)
    }
}

private enum NameKey: ScopeKey { static let defaultValue = "name" }
private enum FirstKey: ScopeKey {
    static var lifetime: ValueLifetime { .transient }
    static func makeValue(in scope: EnvironmentScope) -> String { "first" }
}
private enum SecondKey: ScopeKey {
    static var lifetime: ValueLifetime { .transient }
    static func makeValue(in scope: EnvironmentScope) -> String { "second" }
}
private enum BuiltFromNameKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String { scope[NameKey.self] }
}
