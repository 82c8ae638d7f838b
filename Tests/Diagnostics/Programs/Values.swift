import ScopedInjection

// What every program uses, also where the default isolation is the main actor.

nonisolated extension ScopeValues {
    static let port = ScopeValue(8080)
    static let databasePath = ScopeValue("notes.db")
    static let database = ScopeValue<any Database> { scope in try SQLite(path: scope.databasePath) }
    static let user = ScopeValue<User?>()
}

nonisolated protocol Database: Sendable { var path: String { get } }

nonisolated struct SQLite: Database {
    let path: String
    init(path: String) throws { self.path = path }
}

nonisolated struct User: Sendable { var name: String }

nonisolated final class Pool: Sendable {
    let path: String
    init(_ path: String) { self.path = path }
    static func connect(_ path: String) async throws -> Pool { Pool(path) }
}

nonisolated final class Draft { var text = "" }
