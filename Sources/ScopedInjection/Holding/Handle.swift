import Synchronization

/// Leads to a scope without owning it; children hold one of their parent.
///
/// A scope has one handle for each line on which it was asked for, so that children made on different threads do not
/// contend. It is cleared under all lines of the node's readers when its scope goes. So a thread that holds one of them,
/// and finds the node, may use it until it unlocks that line.
final class Handle: @unchecked Sendable {
    // Sendable because it is read under a line of the node's readers and changed under all of them, except for the part
    // that its own line guards.

    enum Kind: UInt8 { case scope, global }

    let kind: Kind
    /// The name of the scope, for texts after the scope is gone.
    let name: String?
    /// The scope's node; nil if the scope is gone.
    @exclusivity(unchecked) private(set) var node: NodePointer?
    /// What the handle adds to the stamps of the scopes further in: what its node lacks to those that it led to before.
    @exclusivity(unchecked) private(set) var added: UInt64 = 0
    /// The line that guards the properties below.
    let line: Int
    /// The number of holders that keep the scope in force by this handle.
    @exclusivity(unchecked) private(set) var holders = 0
    /// How many of the scopes that hold their parent by this handle keep something to end.
    @exclusivity(unchecked) var keepers = 0
    /// How many further in do; guarded by nothing, and too many where a scope in between has gone.
    let keepersFurtherIn = Atomic(0)
    /// The scope, while there are holders; retained by hand, so that it is retained just once.
    @exclusivity(unchecked) private var held: Borrowed<EnvironmentScope>?
    /// The next handle outwards on the line, of which this one is a holder, while there are any.
    @exclusivity(unchecked) var outer: Borrowed<Handle>?
    // Never changed, and no constant because Swift 6.2.0 has no weak ones.
    private weak var scope: EnvironmentScope?

    /// Keeps two handles from sharing a cache line.
    private let padding: (UInt64, UInt64) = (0, 0)

    init(_ kind: Kind, of scope: EnvironmentScope?, node: NodePointer, line: Int) {
        self.kind = kind
        self.node = node
        name = node.withScope { $0.name }
        self.line = line
        self.scope = scope
    }

    /// Makes the handle lead to another node, or nowhere, where the sum so far was `sum`.
    func lead(to node: NodePointer?, from sum: UInt64) {
        self.node = node
        added = NodePointer.difference(from: added &+ sum, to: node?.sum ?? 0)
    }

    /// The scope, if it is alive.
    var aliveScope: EnvironmentScope? { scope }

    // MARK: Being in force

    /// Keeps the scope alive until `release()`; false if it is gone.
    ///
    /// The caller holds the handle's own line.
    ///
    /// - Parameter isKept: Whether the caller itself keeps the scope alive until then.
    func retain(isKept: Bool = false) -> Bool {
        if !isKept, held == nil {
            guard let scope else { return false }
            held = .retaining(scope)
        }
        holders += 1
        return true
    }

    /// Returns what has to be released after the handle's line is unlocked: the scope, and the next handle.
    func release() -> (scope: Borrowed<EnvironmentScope>?, outer: Borrowed<Handle>?) {
        holders -= 1
        guard holders == 0 else { return (nil, nil) }
        defer { (held, outer) = (nil, nil) }
        return (held, outer)
    }
}
