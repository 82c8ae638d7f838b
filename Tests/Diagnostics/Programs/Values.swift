import ScopedInjection

// What every program uses, also where the default isolation is the main actor.

nonisolated extension ScopeValues {
    static var port: ScopeValue<Int> { .value(8080) }
    static var databasePath: ScopeValue<String> { .value("notes.db") }
    static var database: ScopeValue<any Database> { .lazy { try SQLite(path: $0.databasePath) } }
    static var user: ScopeValue<User?> { .optional() }
}

nonisolated protocol Database: Sendable { var path: String { get } }

nonisolated struct SQLite: Database {
    let path: String
    init(path: String) throws { self.path = path }
}

nonisolated struct User: Sendable { var name: String }

nonisolated final class Pool: Sendable {
    let path: String
    init(_ path: String = "") { self.path = path }
    static func connect(_ path: String) async throws -> Pool { Pool(path) }
}

nonisolated final class Draft { var text = "" }
