import ScopedInjection
import Testing

@Suite("R12: an alias forwards reads and sets in its scope and below")
struct AliasTests {
    // MARK: Reading

    @Test("A read of the alias returns the value of its target")
    func reading() {
        let scope = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        #expect(scope.main == 1)
        #expect(scope.replica == 1)
    }

    @Test("Without a set value both keys have the default of the target")
    func defaults() {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        #expect(scope.replica == MainNumberKey.defaultValue)
        #expect(scope.main == MainNumberKey.defaultValue)
    }

    @Test("A value that is built under an alias is one instance")
    func oneInstance() {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(OtherLineKey.self, to: LineKey.self)
        #expect(scope[LineKey.self] === scope[OtherLineKey.self])
    }

    @Test("A default that was read before the alias was declared does not stay")
    func readBefore() {
        let scope = EnvironmentScope.empty(parent: nil)
        #expect(scope.replica == ReplicaNumberKey.defaultValue)
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        #expect(scope.replica == MainNumberKey.defaultValue)
    }

    @Test("A value above the alias is read under the key of its target")
    func valueAbove() {
        let app = EnvironmentScope("app", parent: nil) {
            $0.main = 1
            $0.replica = 2
        }
        let request = EnvironmentScope.empty("request", parent: app)
        request.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        #expect(request.replica == 1)
        app.main = 3
        #expect(request.replica == 3)
    }

    @Test("The error for a missing value names the alias that was read")
    func missing() throws {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(OtherTokenKey.self, to: TokenKey.self)
        let error = try #require(throws: ScopeError.self) { try scope.value(for: OtherTokenKey.self) }
        #expect(error.code == .missingValue)
        #expect(error.key == "OtherTokenKey")
        #expect(try #require(throws: ScopeError.self) { try scope.value(for: TokenKey.self) }.key == "TokenKey")
        scope.token = Token(text: "secret")
        #expect(try scope.value(for: OtherTokenKey.self).text == "secret")
    }

    // MARK: Setting

    @Test("A set of either key sets both", arguments: AliasSetting.allCases)
    func setting(_ setting: AliasSetting) {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        setting.set(5, in: scope)
        #expect(scope.main == 5)
        #expect(scope.replica == 5)
    }

    @Test("A set in a child sets both there and leaves the parent as it is", arguments: AliasSetting.allCases)
    func settingInChild(_ setting: AliasSetting) {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.replica == 1)
        setting.set(5, in: request)
        #expect(request.main == 5)
        #expect(request.replica == 5)
        #expect(app.main == 1)
        #expect(app.replica == 1)
    }

    @Test("The later of two sets counts for both keys, whichever key each used")
    func settingAgain() {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        for (value, setting) in [AliasSetting.main, .replica, .main, .replica].enumerated() {
            setting.set(value, in: scope)
            #expect(scope.main == value)
            #expect(scope.replica == value)
        }
    }

    @Test("The alias replaces what its scope had for it", arguments: AliasSetting.allCases)
    func setBefore(_ setting: AliasSetting) {
        let scope = EnvironmentScope.empty(parent: nil)
        setting.set(5, in: scope)
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let value = setting == .main ? 5 : MainNumberKey.defaultValue
        #expect(scope.main == value)
        #expect(scope.replica == value)
    }

    @Test("Above the scope of the alias the keys stay two")
    func above() {
        let app = EnvironmentScope("app", parent: nil) {
            $0.main = 1
            $0.replica = 2
        }
        let request = EnvironmentScope.empty("request", parent: app)
        let sibling = EnvironmentScope.empty("sibling", parent: app)
        request.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        request.replica = 5
        #expect(request.main == 5)
        for scope in [app, sibling] {
            #expect(scope.main == 1)
            #expect(scope.replica == 2)
        }
    }

    // MARK: Builders

    @Test("A builder provided for either key serves both", arguments: AliasSetting.allCases)
    func providing(_ setting: AliasSetting) {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        setting.provide(5, in: scope)
        #expect(scope.main == 5)
        #expect(scope.replica == 5)
        setting.other.set(6, in: scope)
        #expect(scope.main == 6)
        #expect(scope.replica == 6)
        setting.other.provide(7, in: scope)
        #expect(scope.main == 7)
        #expect(scope.replica == 7)
    }

    @Test("A value built from either key is rebuilt when the other is set", arguments: AliasSetting.allCases)
    func rebuilding(_ setting: AliasSetting) {
        let scope = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        #expect(scope.ofMain == "main 1")
        #expect(scope.ofReplica == "replica 1")
        setting.set(2, in: scope)
        #expect(scope.ofMain == "main 2")
        #expect(scope.ofReplica == "replica 2")
    }

    // MARK: Several decisions

    @Test("Of two values set before the alias, the target's counts", arguments: AliasSetting.allCases)
    func bothSetBefore(later: AliasSetting) {
        let scope = EnvironmentScope.empty(parent: nil)
        later.other.set(1, in: scope)
        later.set(2, in: scope)
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let value = later == .main ? 2 : 1
        #expect(scope.main == value)
        #expect(scope.replica == value)
    }

    @Test("A value that a child sets for the alias itself wins over an outer alias", arguments: AliasSetting.allCases)
    func bothSetInChildBefore(later: AliasSetting) {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 0 }
        let request = EnvironmentScope.empty("request", parent: app)
        later.other.set(1, in: request)
        later.set(2, in: request)
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        #expect(request.main == (later == .main ? 2 : 1))
        #expect(request.replica == (later == .replica ? 2 : 1))
        #expect(app.replica == 0)
    }

    @Test("A builder that a child provides for the alias itself wins too")
    func providedInChildBefore() {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        let request = EnvironmentScope.empty("request", parent: app)
        request.provide(ReplicaNumberKey.self) { _ in 2 }
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        #expect(request.replica == 2)
        #expect(app.replica == 1)
    }

    @Test("If a nearer scope decides on the alias itself, a set of the alias sets only that")
    func settingWhereItWins() {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        let request = EnvironmentScope("request", parent: app) { $0.replica = 2 }
        let part = EnvironmentScope.empty("part", parent: request)
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        request.replica = 3
        part.replica = 4
        #expect([app.main, request.main, part.main] == [1, 1, 1])
        #expect([app.replica, request.replica, part.replica] == [1, 3, 4])
        #expect(part.removeValue(for: ReplicaNumberKey.self) == 4)
        #expect(request.removeValue(for: ReplicaNumberKey.self) == 3)
        #expect([app.replica, request.replica, part.replica] == [1, 1, 1])
        part.replica = 5
        #expect([app.main, request.main, part.main] == [1, 1, 5])
    }

    @Test("The alias replaces a builder that its scope had for it", arguments: AliasSetting.allCases)
    func providedBefore(_ setting: AliasSetting) {
        let scope = EnvironmentScope.empty(parent: nil)
        setting.other.set(1, in: scope)
        setting.provide(5, in: scope)
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let value = setting == .main ? 5 : 1
        #expect(scope.main == value)
        #expect(scope.replica == value)
    }

    @Test("A second alias replaces the first")
    func declaredTwice() {
        let scope = EnvironmentScope("app", parent: nil) {
            $0.main = 1
            $0.backup = 2
        }
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        #expect(scope.ofReplica == "replica 1")
        scope.alias(ReplicaNumberKey.self, to: BackupNumberKey.self)
        #expect(scope.ofReplica == "replica 2")
        scope.replica = 3
        #expect([scope.main, scope.backup] == [1, 3])
    }

    @Test("A value built from either key is rebuilt in a child that sets the other", arguments: AliasSetting.allCases)
    func rebuildingInChild(_ setting: AliasSetting) {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        #expect(app.ofMain == "main 1")
        #expect(app.ofReplica == "replica 1")
        let request = EnvironmentScope.empty("request", parent: app)
        setting.set(2, in: request)
        #expect(request.ofMain == "main 2")
        #expect(request.ofReplica == "replica 2")
        #expect(app.ofMain == "main 1")
        #expect(app.ofReplica == "replica 1")
    }

    @Test("An alias declared in a child rebuilds there the values built from either key")
    func rebuildingUnderAlias() {
        let app = EnvironmentScope("app", parent: nil) {
            $0.main = 1
            $0.replica = 2
        }
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.ofReplica == "replica 2")
        request.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        #expect(request.ofReplica == "replica 1")
        #expect(app.ofReplica == "replica 2")
    }
}
