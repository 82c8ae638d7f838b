/// Why a kept value was let go of, or a run of its builder thrown away.
enum Departure {
    /// The scope was given a value or a builder, or what it had was removed.
    case replaced
    /// An input is another value now.
    case changed(ValueKey)
    /// A kept value that is an input was let go of.
    case letGo(ValueKey)
    case discarded
    case closed
    /// It was built for an update that is not made.
    case unmade
}

extension Look {
    /// Why a kept value is not current any more.
    static func departure(
        of kept: UnsafeMutablePointer<Kept>,
        _ key: ValueKey,
        in keeper: NodePointer
    ) -> Departure {
        if decide(key.address, from: keeper).version != kept.pointee.decision { return .replaced }
        let departure = departure(of: kept.inputs, from: keeper)
        // What has ended was not changed by anybody.
        if case .letGo = departure, !keeper.pointee.flags.isDisjoint(with: [.closing, .closed]) { return .closed }
        return departure
    }

    /// The same for what was built from inputs: the first that a read would find otherwise.
    static func departure(of inputs: UnsafeBufferPointer<Input>, from node: NodePointer) -> Departure {
        let first = inputs.indices.first { check(UnsafeBufferPointer(rebasing: inputs[$0...$0]), from: node) == nil }
        guard let input = first.map({ inputs[$0] }) else { return .replaced }
        return input.past == Input.instance ? .letGo(.at(input.key)) : .changed(.at(input.key))
    }
}
