import ScopedInjection
import Synchronization

// The values of the small application in the README and in the articles, and their types.

// ⟨DeclaringValues.md: static var port⟩ nonisolated

nonisolated extension ScopeValues {
    static var host: ScopeValue<String> { .value("localhost") }
    static var requestID: ScopeValue<String?> { .optional() }
    static var logger: ScopeValue<Logger> { .value(Logger()) }
}

// ⟨LazyValues.md: static var noteStore⟩ nonisolated

// ⟨DeclaringValues.md: static func flag⟩ nonisolated

// ⟨References.md: struct Handler⟩

// ⟨part of README.md: struct User⟩ nonisolated

nonisolated final class NoteStore: Sendable {
    let database: any Database
    init(database: any Database) { self.database = database }
}

nonisolated struct Logger: Sendable {
    /// What it has written, for tests.
    let lines = Box<[String]>([])

    func debug(_ text: String) {}
    func error(_ text: String) { lines.update { $0.append(text) } }
}

/// A value that threads share.
nonisolated final class Box<Value: Sendable>: Sendable {
    private let content: Mutex<Value>
    // On Linux the thread sanitizer does not see the order of the mutex; it sees this atomic.
    private let handover = Atomic(false)

    init(_ value: Value) { content = Mutex(value) }
    var value: Value { update { $0 } }
    @discardableResult
    func update<Result: Sendable>(_ body: @Sendable (inout Value) -> Result) -> Result {
        content.withLock { value in
            _ = handover.load(ordering: .acquiring)
            defer { handover.store(true, ordering: .releasing) }
            return body(&value)
        }
    }
}
