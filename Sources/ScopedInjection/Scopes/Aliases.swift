/// The one way to follow aliases; the caller holds a line.
extension Look {
    /// How many aliases are followed; more are taken for a circle.
    static let longestTrail = 64

    /// What a read would find after following aliases; an alias that is found is one too many.
    typealias End = (key: ValueKey, past: UInt64, answer: Answer)

    /// - Parameter pass: Is called with each alias.
    @inline(__always)
    static func follow(
        _ asked: ValueKey,
        past: UInt64 = 0,
        from start: NodePointer,
        _ pass: (ValueKey, _ past: UInt64, Decision) -> Void
    ) -> End {
        var (key, past, left) = (asked, past, longestTrail)
        while true {
            let answer = find(key.address, past: past, from: start)
            guard case .unbuilt(let decision) = answer, let target = decision.target, left > 0 else {
                return (key, past, answer)
            }
            pass(key, past, decision)
            (key, past, left) = (target, 0, left - 1)
        }
    }

    /// The same with the keys before the one that is found, from the one that was asked.
    static func trail(of asked: ValueKey, past: UInt64 = 0, from start: NodePointer) -> (trail: [ValueKey], end: End) {
        var trail: [ValueKey] = []
        let end = follow(asked, past: past, from: start) { key, _, _ in trail.append(key) }
        return (trail, end)
    }
}

extension ScopeError {
    /// The error of aliases that go round in a circle, which the trail contains, or of too many in a row.
    static func circle(of trail: [ValueKey], searched: ChainNames?) -> ScopeError {
        let second = trail.indices.first { trail[..<$0].contains(trail[$0]) }
        guard let second, let first = trail.firstIndex(of: trail[second]) else {
            return ScopeError(
                .invalid,
                key: trail.first,
                searched: searched,
                detail: "\(trail.first?.name ?? "The value") leads through more than \(Look.longestTrail) aliases.",
                advice: "let an alias lead to the value itself."
            )
        }
        var error = ScopeError(.cycle, key: trail.first, searched: searched, detail: "aliases")
        error.fields.path = trail[first...second].map(\.name)
        return error
    }
}
