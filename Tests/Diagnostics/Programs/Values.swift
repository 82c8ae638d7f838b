import ScopedInjection

// What every program uses.

extension ScopeValues {
    static let port = ScopeValue(8080)
    static let databasePath = ScopeValue("notes.db")
    static let database = ScopeValue<any Database> { scope in try SQLite(path: scope.databasePath) }
    static let user = ScopeValue<User?>()
}

protocol Database: Sendable { var path: String { get } }

struct SQLite: Database {
    let path: String
    init(path: String) throws { self.path = path }
}

struct User: Sendable { var name: String }

final class Pool: Sendable {
    let path: String
    init(_ path: String) { self.path = path }
    static func connect(_ path: String) async throws -> Pool { Pool(path) }
}

final class Draft { var text = "" }
