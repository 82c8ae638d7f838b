import ScopedInjection

// The values of a small notes application. A key says where a value comes from when nobody has set it.

/// A constant.
enum PortKey: ScopeKey { static let defaultValue = 8080 }

/// A constant.
enum DatabasePathKey: ScopeKey { static let defaultValue = "notes.db" }

/// Optional: nil until somebody sets it.
enum UserKey: ScopeKey { typealias Value = String? }

/// Required: it has to be set before it is read.
enum TokenKey: ScopeKey { typealias Value = String }

/// Built from another value when it is first read.
enum DatabaseKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Database {
        Database(path: try scope.value(for: DatabasePathKey.self))
    }
}

/// Built from a value that is built itself.
enum NotesKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Notes {
        Notes(database: try scope.value(for: DatabaseKey.self))
    }
}

final class Database: Sendable {
    let path: String
    init(path: String) { self.path = path }
}

final class Notes: Sendable {
    let database: Database
    init(database: Database) { self.database = database }
}

// A property for each, like those of SwiftUI's environment.
extension EnvironmentScope {
    var port: Int {
        get { self[PortKey.self] }
        set { self[PortKey.self] = newValue }
    }
    var databasePath: String {
        get { self[DatabasePathKey.self] }
        set { self[DatabasePathKey.self] = newValue }
    }
    var user: String? {
        get { self[UserKey.self] }
        set { self[UserKey.self] = newValue }
    }
    var token: String {
        get { self[TokenKey.self] }
        set { self[TokenKey.self] = newValue }
    }
    var database: Database {
        get { self[DatabaseKey.self] }
        set { self[DatabaseKey.self] = newValue }
    }
    var notes: Notes {
        get { self[NotesKey.self] }
        set { self[NotesKey.self] = newValue }
    }
}
