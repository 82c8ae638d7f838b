/// The one way to follow aliases; the caller holds a line.
extension Look {
    /// How many aliases are followed; more are taken for a circle.
    static let longestTrail = 64

    /// What a read would find after following aliases; an alias that is found is one too many.
    struct End {
        var key: ValueKey
        var past: UInt64
        /// The keys before it, from the one that was asked.
        var trail: [ValueKey] = []
        var answer: Answer
    }

    /// Follows aliases, and calls a function with each of them.
    @inline(__always)
    static func follow(
        _ asked: ValueKey,
        past: UInt64 = 0,
        from start: NodePointer,
        _ pass: (ValueKey, _ past: UInt64, Decision) -> Void = { _, _, _ in }
    ) -> End {
        var end = End(key: asked, past: past, answer: find(asked.address, past: past, from: start))
        while case .unbuilt(let decision) = end.answer, let target = decision.target, end.trail.count < longestTrail {
            pass(end.key, end.past, decision)
            end.trail.append(end.key)
            (end.key, end.past) = (target, 0)
            end.answer = find(target.address, from: start)
        }
        return end
    }
}
