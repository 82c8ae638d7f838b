/// Why a kept value was let go of.
enum Departure {
    /// The scope was given a value or a builder, or what it had was removed.
    case replaced
    /// An input is another value now, or was let go of.
    case changed(ValueKey)
    case discarded
    case closed
}

extension Look {
    /// Why a kept value is not current any more.
    static func departure(
        of kept: UnsafeMutablePointer<Kept>,
        _ key: ValueKey,
        in keeper: NodePointer
    ) -> Departure {
        if decide(key.address, from: keeper).version != kept.pointee.decision { return .replaced }
        return changed(kept.inputs, from: keeper).map { .changed($0) } ?? .replaced
    }

    /// The first of the inputs that a read would find otherwise.
    static func changed(_ inputs: UnsafeBufferPointer<Input>, from node: NodePointer) -> ValueKey? {
        let first = inputs.indices.first { check(UnsafeBufferPointer(rebasing: inputs[$0...$0]), from: node) == nil }
        return first.map { .at(inputs[$0].key) }
    }
}
