import ScopedInjection
import Testing

@Suite("R12: an alias makes two keys one value from its scope down")
struct AliasTests {
    // MARK: Reading

    @Test("A read of either key gives the other's value")
    func reading() {
        let scope = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        scope.alias(ReplicaKey.self, to: MainKey.self)
        #expect(scope.main == 1)
        #expect(scope.replica == 1)
    }

    @Test("Without a set value both give the default of the key the alias leads to")
    func defaults() {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaKey.self, to: MainKey.self)
        #expect(scope.replica == MainKey.defaultValue)
        #expect(scope.main == MainKey.defaultValue)
    }

    @Test("A value that is built under an alias is one instance")
    func oneInstance() {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(OtherConnectionKey.self, to: ConnectionKey.self)
        #expect(scope[ConnectionKey.self] === scope[OtherConnectionKey.self])
    }

    @Test("A default that was read before the alias was declared does not stay")
    func readBefore() {
        let scope = EnvironmentScope.empty(parent: nil)
        #expect(scope.replica == ReplicaKey.defaultValue)
        scope.alias(ReplicaKey.self, to: MainKey.self)
        #expect(scope.replica == MainKey.defaultValue)
    }

    @Test("A value above the alias is read under the key it leads to")
    func valueAbove() {
        let app = EnvironmentScope("app", parent: nil) {
            $0.main = 1
            $0.replica = 2
        }
        let request = EnvironmentScope.empty("request", parent: app)
        request.alias(ReplicaKey.self, to: MainKey.self)
        #expect(request.replica == 1)
        app.main = 3
        #expect(request.replica == 3)
    }

    @Test("The error for a missing value names the key the alias leads to")
    func missing() throws {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(OtherTokenKey.self, to: TokenKey.self)
        let error = try #require(throws: ScopeError.self) { try scope.value(for: OtherTokenKey.self) }
        #expect(error.code == .missingValue)
        #expect(error.key == "TokenKey")
        scope.token = Token(text: "secret")
        #expect(try scope.value(for: OtherTokenKey.self).text == "secret")
    }

    // MARK: Setting

    @Test("A set of either key sets both", arguments: Setting.allCases)
    func setting(_ setting: Setting) {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaKey.self, to: MainKey.self)
        setting.set(5, in: scope)
        #expect(scope.main == 5)
        #expect(scope.replica == 5)
    }

    @Test("A set in a child sets both there and leaves the parent as it is", arguments: Setting.allCases)
    func settingInChild(_ setting: Setting) {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        app.alias(ReplicaKey.self, to: MainKey.self)
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.replica == 1)
        setting.set(5, in: request)
        #expect(request.main == 5)
        #expect(request.replica == 5)
        #expect(app.main == 1)
        #expect(app.replica == 1)
    }

    @Test("A set after another stands for both, whichever key each was made through")
    func settingAgain() {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaKey.self, to: MainKey.self)
        for (value, setting) in [Setting.main, .replica, .main, .replica].enumerated() {
            setting.set(value, in: scope)
            #expect(scope.main == value)
            #expect(scope.replica == value)
        }
    }

    @Test("What was set before the alias, under either key, is both from then on", arguments: Setting.allCases)
    func setBefore(_ setting: Setting) {
        let scope = EnvironmentScope.empty(parent: nil)
        setting.set(5, in: scope)
        scope.alias(ReplicaKey.self, to: MainKey.self)
        #expect(scope.main == 5)
        #expect(scope.replica == 5)
    }

    @Test("Above the scope of the alias the keys stay two")
    func above() {
        let app = EnvironmentScope("app", parent: nil) {
            $0.main = 1
            $0.replica = 2
        }
        let request = EnvironmentScope.empty("request", parent: app)
        let sibling = EnvironmentScope.empty("sibling", parent: app)
        request.alias(ReplicaKey.self, to: MainKey.self)
        request.replica = 5
        #expect(request.main == 5)
        for scope in [app, sibling] {
            #expect(scope.main == 1)
            #expect(scope.replica == 2)
        }
    }

    // MARK: Builders

    @Test("A builder provided for either key serves both", arguments: Setting.allCases)
    func providing(_ setting: Setting) {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaKey.self, to: MainKey.self)
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

    @Test("What was built from either key is rebuilt when the other is set", arguments: Setting.allCases)
    func rebuilding(_ setting: Setting) {
        let scope = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        scope.alias(ReplicaKey.self, to: MainKey.self)
        #expect(scope.ofMain == "main 1")
        #expect(scope.ofReplica == "replica 1")
        setting.set(2, in: scope)
        #expect(scope.ofMain == "main 2")
        #expect(scope.ofReplica == "replica 2")
    }

    // MARK: Several bindings

    @Test("Of two values set before the alias the later one stands", arguments: Setting.allCases)
    func bothSetBefore(later: Setting) {
        let scope = EnvironmentScope.empty(parent: nil)
        later.other.set(1, in: scope)
        later.set(2, in: scope)
        scope.alias(ReplicaKey.self, to: MainKey.self)
        #expect(scope.main == 2)
        #expect(scope.replica == 2)
    }

    @Test("Of two values set in a child before the alias the later one stands", arguments: Setting.allCases)
    func bothSetInChildBefore(later: Setting) {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 0 }
        let request = EnvironmentScope.empty("request", parent: app)
        later.other.set(1, in: request)
        later.set(2, in: request)
        app.alias(ReplicaKey.self, to: MainKey.self)
        #expect(request.main == 2)
        #expect(request.replica == 2)
        #expect(app.replica == 0)
    }

    @Test("A builder provided before the alias serves both", arguments: Setting.allCases)
    func providedBefore(_ setting: Setting) {
        let scope = EnvironmentScope.empty(parent: nil)
        setting.other.set(1, in: scope)
        setting.provide(5, in: scope)
        scope.alias(ReplicaKey.self, to: MainKey.self)
        #expect(scope.main == 5)
        #expect(scope.replica == 5)
    }

    @Test("What was built from either key is rebuilt in a child that sets the other", arguments: Setting.allCases)
    func rebuildingInChild(_ setting: Setting) {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        app.alias(ReplicaKey.self, to: MainKey.self)
        #expect(app.ofMain == "main 1")
        #expect(app.ofReplica == "replica 1")
        let request = EnvironmentScope.empty("request", parent: app)
        setting.set(2, in: request)
        #expect(request.ofMain == "main 2")
        #expect(request.ofReplica == "replica 2")
        #expect(app.ofMain == "main 1")
        #expect(app.ofReplica == "replica 1")
    }

    @Test("An alias that is declared in a child rebuilds there what was built from either key")
    func rebuildingUnderAlias() {
        let app = EnvironmentScope("app", parent: nil) {
            $0.main = 1
            $0.replica = 2
        }
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.ofReplica == "replica 2")
        request.alias(ReplicaKey.self, to: MainKey.self)
        #expect(request.ofReplica == "replica 1")
        #expect(app.ofReplica == "replica 2")
    }

    // MARK: Removing

    @Test("Removing either key removes both", arguments: Setting.allCases)
    func removing(_ setting: Setting) {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        app.alias(ReplicaKey.self, to: MainKey.self)
        let request = EnvironmentScope("request", parent: app) { $0.main = 5 }
        #expect(setting.remove(in: request) == 5)
        #expect(request.main == 1)
        #expect(request.replica == 1)
    }

    @Test("Removing a value leaves the alias")
    func aliasStays() {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaKey.self, to: MainKey.self)
        scope.replica = 5
        scope.removeValue(for: ReplicaKey.self)
        scope.main = 6
        #expect(scope.replica == 6)
    }

    @Test("Removing everything removes the alias too")
    func removingEverything() {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaKey.self, to: MainKey.self)
        scope.replica = 5
        scope.removeAll()
        #expect(scope.main == MainKey.defaultValue)
        #expect(scope.replica == ReplicaKey.defaultValue)
        scope.main = 6
        #expect(scope.replica == ReplicaKey.defaultValue)
    }

    // MARK: Several aliases

    @Test("A chain of aliases makes all its keys one", arguments: [[0, 1, 2], [2, 1, 0], [1, 0, 2]])
    func chain(order: [Int]) {
        let scope = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        let declare: [(EnvironmentScope) -> Void] = [
            { $0.alias(ReplicaKey.self, to: MainKey.self) },
            { $0.alias(BackupKey.self, to: ReplicaKey.self) },
            { $0.alias(ArchiveKey.self, to: BackupKey.self) },
        ]
        for index in order { declare[index](scope) }
        #expect([scope.main, scope.replica, scope.backup, scope.archive] == [1, 1, 1, 1])
        scope.backup = 2
        #expect([scope.main, scope.replica, scope.backup, scope.archive] == [2, 2, 2, 2])
    }

    @Test("A chain of aliases may lie in several scopes")
    func chainOfScopes() {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        app.alias(ReplicaKey.self, to: MainKey.self)
        let request = EnvironmentScope.empty("request", parent: app)
        request.alias(BackupKey.self, to: ReplicaKey.self)
        #expect(request.backup == 1)
        request.backup = 2
        #expect([request.main, request.replica, request.backup] == [2, 2, 2])
        #expect([app.main, app.replica, app.backup] == [1, 1, BackupKey.defaultValue])
    }

    @Test("Two aliases of one key are one value")
    func siblings() {
        let scope = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        scope.alias(ReplicaKey.self, to: MainKey.self)
        scope.alias(BackupKey.self, to: MainKey.self)
        scope.replica = 2
        #expect(scope.backup == 2)
    }

    @Test("Of two aliases of one key in a chain of scopes the nearer one stands")
    func nearerAlias() {
        let app = EnvironmentScope("app", parent: nil) {
            $0.main = 1
            $0.backup = 2
        }
        app.alias(ReplicaKey.self, to: MainKey.self)
        let request = EnvironmentScope.empty("request", parent: app)
        request.alias(ReplicaKey.self, to: BackupKey.self)
        #expect(request.replica == 2)
        #expect(app.replica == 1)
    }

    // MARK: Circles

    @Test("Aliases that a new parent makes cyclic are an error at the reads of their keys")
    func cycleByParent() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.alias(ReplicaKey.self, to: MainKey.self)
        let request = EnvironmentScope.empty("request", parent: nil)
        request.alias(MainKey.self, to: ReplicaKey.self)
        #expect(request.main == ReplicaKey.defaultValue)
        request.parent = app

        let error = try #require(throws: ScopeError.self) { try request.value(for: MainKey.self) }
        #expect(error.code == .cycle)
        #expect(error.key == "MainKey")
        #expect(error.path == ["MainKey", "ReplicaKey", "MainKey"])
        #expect(throws: ScopeError.self) { try request.value(for: ReplicaKey.self) }
        #expect(app.replica == MainKey.defaultValue)

        request.parent = nil
        #expect(request.main == ReplicaKey.defaultValue)
    }
}

// MARK: - What the tests look at

private enum MainKey: ScopeKey { static let defaultValue = 100 }
private enum ReplicaKey: ScopeKey { static let defaultValue = 200 }
private enum BackupKey: ScopeKey { static let defaultValue = 300 }
private enum ArchiveKey: ScopeKey { static let defaultValue = 400 }

private enum OfMainKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String { "main \(scope.main)" }
}

private enum OfReplicaKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String { "replica \(scope.replica)" }
}

private final class Connection: Sendable {}

private enum ConnectionKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Connection { Connection() }
}

private enum OtherConnectionKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Connection { Connection() }
}

private enum OtherTokenKey: ScopeKey { typealias Value = Token }

extension EnvironmentScope {
    fileprivate var main: Int {
        get { self[MainKey.self] }
        set { self[MainKey.self] = newValue }
    }
    fileprivate var replica: Int {
        get { self[ReplicaKey.self] }
        set { self[ReplicaKey.self] = newValue }
    }
    fileprivate var backup: Int {
        get { self[BackupKey.self] }
        set { self[BackupKey.self] = newValue }
    }
    fileprivate var archive: Int {
        get { self[ArchiveKey.self] }
        set { self[ArchiveKey.self] = newValue }
    }
    fileprivate var ofMain: String { self[OfMainKey.self] }
    fileprivate var ofReplica: String { self[OfReplicaKey.self] }
}

extension AliasTests {
    /// Through which of the two keys a value is set.
    enum Setting: CaseIterable {
        case main, replica

        var other: Setting { self == .main ? .replica : .main }

        func set(_ value: Int, in scope: EnvironmentScope) {
            switch self {
            case .main: scope.main = value
            case .replica: scope.replica = value
            }
        }

        func provide(_ value: Int, in scope: EnvironmentScope) {
            switch self {
            case .main: scope.provide(MainKey.self) { _ in value }
            case .replica: scope.provide(ReplicaKey.self) { _ in value }
            }
        }

        func remove(in scope: EnvironmentScope) -> Int? {
            switch self {
            case .main: scope.removeValue(for: MainKey.self)
            case .replica: scope.removeValue(for: ReplicaKey.self)
            }
        }
    }
}
