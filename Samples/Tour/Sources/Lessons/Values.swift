import ScopedInjection

// The values of a small notes application, one line each: what a value is where nobody has set it.

extension ScopeValues {
    /// A constant.
    static let port = ScopeValue(8080)

    /// A constant.
    static let databasePath = ScopeValue("notes.db")

    /// Optional: nil until somebody sets it.
    static let user = ScopeValue<String?>()

    /// Required: it has to be set before it is read.
    static let token = ScopeValue<String>.required()

    /// Built from another value when it is first read.
    static let database = ScopeValue { Database(path: $0.databasePath) }

    /// Built from a value that is built itself; it passes on why that one cannot be built.
    static let notes = ScopeValue { Notes(database: try $0.value(for: \.database)) }
}

final class Database: Sendable {
    let path: String
    init(path: String) { self.path = path }
}

final class Notes: Sendable {
    let database: Database
    init(database: Database) { self.database = database }
}
