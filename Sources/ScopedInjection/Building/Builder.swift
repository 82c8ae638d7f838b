/// A builder that was given to a scope, and the decorations over it.
final class Builder<Value>: Provider, @unchecked Sendable {
    typealias Change = @Sendable (Value, ScopeReader) throws -> Value

    /// Makes what is decorated; nil for what lies further out.
    let make: TypedKey<Value>.Make?
    /// The decorations, the innermost first.
    let changes: [Change]

    /// - Parameter known: What the scope was given before, whose decorations stay.
    init(version: UInt64, _ origin: Origin, over known: Provider?, _ make: @escaping TypedKey<Value>.Make) {
        self.make = make
        changes = (known as? Builder)?.changes ?? []
        super.init(version: version, origin, known?.decorations ?? [])
    }

    /// - Parameters:
    ///   - value: What the scope has set; nil if nothing is.
    ///   - known: What the scope was given before.
    init(version: UInt64, _ place: SourcePlace, over value: Value?, _ known: Provider?, _ change: @escaping Change)
    where Value: Sendable {
        let known = known as? Builder
        make = value.map { value in { @Sendable _ in value } } ?? known?.make
        changes = (known?.changes ?? []) + [change]
        super.init(
            version: version,
            value != nil ? .set : known?.origin ?? .beyond,
            (known?.decorations ?? []) + [place]
        )
    }

    override func make(_ key: ValueKey, _ reader: ScopeReader, into memory: UnsafeMutableRawPointer) throws {
        memory.initializeMemory(as: Value.self, to: try value(of: key.typed(as: Value.self), reader))
    }

    /// What is decorated, with all decorations.
    private func value(of key: TypedKey<Value>, _ reader: ScopeReader) throws -> Value {
        var decoration = -1
        do {
            var value = if let make { try make(reader) } else { try reader.valueBeyond(key) }
            for change in changes {
                decoration &+= 1
                value = try change(value, reader)
            }
            return value
        } catch {
            reader.note(failureOf: decoration)
            throw error
        }
    }
}
