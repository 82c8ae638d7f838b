import ScopedInjection
import Synchronization

// The values of the program whose tests the articles and comments of ScopedInjectionTesting show, and their types.

// ⟨ScopeValues.swift: extension ScopeValues⟩

extension ScopeValues {
    static var host: ScopeValue<String> { .value("localhost") }
    static var limit: ScopeValue<Int> { .value(100) }
    static var unit: ScopeValue<String> { .value("EUR") }
    static func flag(_ name: String) -> ScopeValue<Bool> { .value(false, id: name) }
}

struct User: Sendable { var name: String }
struct Token: Sendable {}

protocol Database: Sendable {
    func save(_ note: String)
    var notes: [String] { get }
}

final class InMemory: Database {
    private let content = Mutex<[String]>([])
    func save(_ note: String) { content.withLock { $0.append(note) } }
    var notes: [String] { content.withLock { $0 } }
}

struct SQLite: Database {
    init(path: String) throws {}
    func save(_ note: String) {}
    var notes: [String] { [] }
}

struct NoteStore: Sendable {
    @Injected(\.database) var database
    func add(_ note: String) { database.save(note) }
}
