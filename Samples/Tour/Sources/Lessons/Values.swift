import ScopedInjection

// The values of a small notes application, one line each: what a value is where nobody has set it.

extension ScopeValues {
    /// A constant.
    static var port: ScopeValue<Int> { .value(8080) }

    /// A constant.
    static var databasePath: ScopeValue<String> { .value("notes.db") }

    /// Optional: nil until somebody sets it.
    static var user: ScopeValue<String?> { .optional() }

    /// Required: it has to be set before it is read.
    static var token: ScopeValue<String> { .required() }

    /// Built from another value when it is first read.
    static var database: ScopeValue<Database> { .lazy { try Database(path: $0.databasePath) } }

    /// Built from a value that is built itself; it passes on why that one cannot be built.
    static var notes: ScopeValue<Notes> { .lazy { try Notes(database: $0.database) } }
}

final class Database: Sendable {
    let path: String
    init(path: String) { self.path = path }
}

final class Notes: Sendable {
    let database: Database
    init(database: Database) { self.database = database }
}
