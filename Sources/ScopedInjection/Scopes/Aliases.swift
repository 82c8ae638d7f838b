/// The one way to follow aliases; the caller holds a line.
extension Look {
    /// How many aliases are followed; more are taken for a circle.
    static let longestTrail = 64

    /// What a read would find after following aliases; an alias that is found is one too many.
    ///
    /// - Parameters:
    ///   - trail: Gets the keys before the one that is found, from the one that was asked.
    ///   - pass: Is called with each alias.
    @inline(__always)
    static func follow(
        _ asked: ValueKey,
        past: UInt64 = 0,
        from start: NodePointer,
        _ trail: inout [ValueKey],
        _ pass: (ValueKey, _ past: UInt64, Decision) -> Void = { _, _, _ in }
    ) -> (key: ValueKey, past: UInt64, answer: Answer) {
        var (key, past) = (asked, past)
        while true {
            let answer = find(key.address, past: past, from: start)
            guard case .unbuilt(let decision) = answer, let target = decision.target, trail.count < longestTrail else {
                return (key, past, answer)
            }
            pass(key, past, decision)
            trail.append(key)
            (key, past) = (target, 0)
        }
    }
}
