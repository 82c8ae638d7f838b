extension EnvironmentScope {
    /// Whether the scope forbids defaults now, by a policy of its own or of a scope further out.
    package var forbidsDefaults: Bool {
        guard let scope = target, let node = scope.node else { return false }
        defer { withExtendedLifetime(scope) {} }
        return node.whileReading { Policy.outcome(in: node).isForbidden }
    }
}

/// The effect of policies on the defaults of values.
enum Policy {
    /// Whether defaults are forbidden, and the level of the outermost scope up to which the same holds without a
    /// break, for the same test.
    struct Outcome {
        let isForbidden: Bool
        /// `Input.nowhere` if no scope has a policy.
        let level: Int32

        static let free = Outcome(isForbidden: false, level: Input.nowhere)
    }

    /// The outcome in a scope; the caller holds a line.
    static func outcome(in node: NodePointer) -> Outcome {
        var deciding: [(isForbidden: Bool, level: Int32)] = []
        var watched = Input.nowhere
        var level: Int32 = 0
        for node in node.chain {
            let flags = node.pointee.flags
            if flags.contains(.watched) { watched = min(watched, level) }
            if !flags.isDisjoint(with: .policy) { deciding.append((flags.contains(.forbidsDefaults), level)) }
            level += 1
        }
        guard let nearest = deciding.first else { return .free }
        let same = deciding.prefix { $0.isForbidden == nearest.isForbidden }
        // Outside the outermost policy, defaults are allowed.
        if !nearest.isForbidden, same.count == deciding.count { return .free }
        level = deciding[same.count - 1].level  // fault: policy-level
        // What is forbidden, the test of the nearest watched scope may allow; other tests know nothing of that.
        if nearest.isForbidden { level = min(level, watched) }  // fault: watched-level
        return Outcome(isForbidden: nearest.isForbidden, level: level)
    }

    /// The name of the scope that decides an outcome; the caller holds a line.
    static func name(of outcome: Outcome, in node: NodePointer) -> String? {
        // What the nearest one is called must not reach a value that others are given.
        let decided = node.outwards(outcome.level) ?? node  // fault: forbidden-by
        return decided.chain.first { !$0.pointee.flags.isDisjoint(with: .policy) }?.withScope { $0.displayName }
    }
}
