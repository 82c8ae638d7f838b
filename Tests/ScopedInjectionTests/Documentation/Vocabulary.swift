import ScopedInjection
import Synchronization

// The values of the small application in the articles, and their types.

extension ScopeValues {
    static let port = ScopeValue(8080)
    static let databasePath = ScopeValue("notes.db")
    static let database = ScopeValue<any Database> { scope in try SQLite(path: scope.databasePath) }
    static let user = ScopeValue<User?>()
    static let token = ScopeValue<Token>.required()
}

extension ScopeValues { static let host = ScopeValue("localhost") }

struct User: Sendable, Equatable { var name: String }

struct Token: Sendable, Equatable { var text: String }

protocol Database: AnyObject, Sendable { var path: String { get } }

final class SQLite: Database {
    let path: String
    init(path: String) throws { self.path = path }
}

final class InMemory: Database { let path = ":memory:" }

final class NoteStore: Sendable {
    let database: any Database
    init(database: any Database) { self.database = database }
}

/// A value that threads share.
final class Box<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: Value) { content = Mutex(value) }

    var value: Value { content.withLock { $0 } }

    func update(_ body: @Sendable (inout Value) -> Void) { content.withLock { body(&$0) } }
}
