import ScopedInjection

// What the articles talk about without showing it.

protocol Database: AnyObject, Sendable {
    var path: String { get }
}

final class SQLite: Database {
    let path: String
    init(path: String) throws { self.path = path }
}

final class InMemory: Database {
    let path = ":memory:"
}

final class NoteStore: Sendable {
    let database: any Database
    init(database: any Database) { self.database = database }
}

enum DatabasePathKey: ScopeKey { static let defaultValue = "notes.db" }

extension EnvironmentScope {
    var databasePath: String {
        get { self[DatabasePathKey.self] }
        set { self[DatabasePathKey.self] = newValue }
    }
}
