/// Whether values of a declaration can be compared: one conformance for each, which is looked up once.
struct Equality: @unchecked Sendable {
    // Sendable because a conformance is the same everywhere.
    private let type: (any Equatable.Type)?

    private static let known = Guarded<[ValueKey: Equality]>([:])

    /// Whether two values are equal, but no objects; no lock is held.
    static func areEqual<Value>(_ one: Value, _ other: Value, _ key: ValueKey) -> Bool {
        guard let type = conformance(of: Value.self, key) else { return false }
        func areEqual<Known: Equatable>(_: Known.Type) -> Bool {
            unsafeBitCast(one, to: Known.self) == unsafeBitCast(other, to: Known.self)
        }
        return areEqual(type)
    }

    private static func conformance(of type: Any.Type, _ key: ValueKey) -> (any Equatable.Type)? {
        if let known = known.withLock({ $0[key] }) { return known.type }
        let made = Equality(type: type is AnyClass ? nil : type as? any Equatable.Type)
        known.withLock { $0[key] = made }
        return made.type
    }
}
