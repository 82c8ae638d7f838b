import ScopedInjection
import Testing

@Suite("R12: removing values that have aliases")
struct AliasRemovalTests {
    @Test("Removing either key removes both", arguments: AliasSetting.allCases)
    func removing(_ setting: AliasSetting) {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let request = EnvironmentScope("request", parent: app) { $0.main = 5 }
        #expect(setting.remove(in: request) == 5)
        #expect(request.main == 1)
        #expect(request.replica == 1)
    }

    @Test("Removing a value leaves the alias")
    func aliasStays() {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        scope.replica = 5
        scope.removeValue(for: ReplicaNumberKey.self)
        scope.main = 6
        #expect(scope.replica == 6)
    }

    @Test("Removing everything removes the alias too")
    func removingEverything() {
        let scope = EnvironmentScope.empty(parent: nil)
        scope.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        scope.replica = 5
        scope.removeAll()
        #expect(scope.main == MainNumberKey.defaultValue)
        #expect(scope.replica == ReplicaNumberKey.defaultValue)
        scope.main = 6
        #expect(scope.replica == ReplicaNumberKey.defaultValue)
    }

    @Test("Removing everything leaves the alias's target further out")
    func removingEverythingBelow() {
        let app = EnvironmentScope("app", parent: nil) { $0.main = 1 }
        app.alias(ReplicaNumberKey.self, to: MainNumberKey.self)
        let request = EnvironmentScope("request", parent: app) { $0.replica = 2 }
        request.removeAll()
        #expect(request.replica == 1)
        request.alias(ReplicaNumberKey.self, to: BackupNumberKey.self)
        #expect(request.replica == BackupNumberKey.defaultValue)
        request.removeAll()
        #expect(request.replica == 1)
    }
}
