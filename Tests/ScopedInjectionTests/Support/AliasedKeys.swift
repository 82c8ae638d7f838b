import ScopedInjection

// The values of the suites about aliases.

enum MainNumberKey: ScopeKey { static let defaultValue = 100 }
enum ReplicaNumberKey: ScopeKey { static let defaultValue = 200 }
enum BackupNumberKey: ScopeKey { static let defaultValue = 300 }
enum ArchiveNumberKey: ScopeKey { static let defaultValue = 400 }

enum OfMainNumberKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String { "main \(scope.main)" }
}

enum OfReplicaNumberKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String { "replica \(scope.replica)" }
}

final class Line: Sendable {}

enum LineKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Line { Line() }
}

enum OtherLineKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Line { Line() }
}

enum OtherTokenKey: ScopeKey { typealias Value = Token }

extension EnvironmentScope {
    var main: Int {
        get { self[MainNumberKey.self] }
        set { self[MainNumberKey.self] = newValue }
    }
    var replica: Int {
        get { self[ReplicaNumberKey.self] }
        set { self[ReplicaNumberKey.self] = newValue }
    }
    var backup: Int {
        get { self[BackupNumberKey.self] }
        set { self[BackupNumberKey.self] = newValue }
    }
    var archive: Int {
        get { self[ArchiveNumberKey.self] }
        set { self[ArchiveNumberKey.self] = newValue }
    }
    var ofMain: String { self[OfMainNumberKey.self] }
    var ofReplica: String { self[OfReplicaNumberKey.self] }
}

/// The key through which a value is set.
enum AliasSetting: CaseIterable {
    case main, replica

    var other: AliasSetting { self == .main ? .replica : .main }

    func set(_ value: Int, in scope: EnvironmentScope) {
        switch self {
        case .main: scope.main = value
        case .replica: scope.replica = value
        }
    }

    func provide(_ value: Int, in scope: EnvironmentScope) {
        switch self {
        case .main: scope.provide(MainNumberKey.self) { _ in value }
        case .replica: scope.provide(ReplicaNumberKey.self) { _ in value }
        }
    }

    func remove(in scope: EnvironmentScope) -> Int? {
        switch self {
        case .main: scope.removeValue(for: MainNumberKey.self)
        case .replica: scope.removeValue(for: ReplicaNumberKey.self)
        }
    }
}
