import ScopedInjection

extension ScopeReader {
    /// A value with a cleanup, which does nothing where none is given.
    func withCleanup<Value>(_ value: Value, _ cleanup: @escaping @Sendable () -> Void = {}) -> Value {
        onClose(cleanup)
        return value
    }

    /// A value whose cleanup adds a line to the log.
    func withCleanup<Value>(_ value: Value, saying line: String) throws -> Value {
        let log = try self[ScopeValues.log]
        return withCleanup(value) { log.add(line) }
    }

    /// A product whose cleanup adds a line to the log: its text, where none is given.
    func product(_ text: String, saying line: String? = nil) throws -> Product {
        try withCleanup(Product(text), saying: line ?? text)
    }
}
