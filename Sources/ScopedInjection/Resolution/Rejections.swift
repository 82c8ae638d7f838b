/// Kept values that are not what a scope sees, as a look has found, for the reads of the builder that then runs.
///
/// Without them, each builder in a row would look down the rest of the row once more. They hold until something
/// changes. They say nothing of a value that is kept later, because its version is new. Only the building thread uses
/// them.
final class Rejections {
    private let node: NodePointer
    private let stamp: UInt64
    @exclusivity(unchecked) private var rejected: Set<Rejected> = []

    private struct Rejected: Hashable {
        let version: UInt64
        /// The version of the decision that the read would have skipped.
        let past: UInt64

        func hash(into hasher: inout Hasher) { hasher.combine(version) }
    }

    private init(_ node: NodePointer) {
        self.node = node
        stamp = node.stamp
    }

    /// What the builders around a look know, if it still holds; the caller holds a line.
    static var current: Rejections? {
        guard let build = ThreadState.current.pointee.innermostBuild, let known = build.rejections,
            known.node.stamp == known.stamp  // fault: rejections-stamp
        else { return nil }
        return known
    }

    /// Whether the value is not what a read would return.
    func contain(_ cell: Cell, for question: Question) -> Bool {
        question.node == node  // fault: rejections-node
            && rejected.contains(Rejected(version: cell.version, past: question.past))
    }

    /// Adds a value to those of the same scope, or else begins anew; the caller holds a line.
    static func note(_ cell: Cell, for question: Question, in known: inout Rejections?) {
        if known?.node != question.node { known = Rejections(question.node) }
        known?.rejected.insert(Rejected(version: cell.version, past: question.past))
    }
}
