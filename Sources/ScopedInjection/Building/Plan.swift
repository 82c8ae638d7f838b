import Synchronization

/// One read of a value that the walk has not found: what is asked, where, and for whom.
struct Read {
    let key: ValueKey
    /// The version of the decision to skip; 0 for none.
    var past: UInt64 = 0
    let node: NodePointer
    /// The build of this thread whose builder reads; the caller keeps it alive.
    let user: Borrowed<Build>?
    /// The same for a value that stays, which is read in the scope that begins it.
    var beginner: Borrowed<Build>?
    let thread: ThreadState.Pointer
}

/// What a read found at one moment, and how the value is built if it is not there.
///
/// A build has it from before it is announced until it is over, so whoever holds a line may read it.
struct Plan {
    let read: Read
    /// What was found.
    let look: Look
    /// The stamp of the asking scope.
    let stamp: UInt64
    let isObserved: Bool
    /// The policy of defaults, if one that is not safe in tests is concerned.
    let policy: PolicyInForce?

    /// The caller holds a line.
    init(_ read: Read) {
        self.read = read
        (stamp, isObserved) = read.node.stampAndObservers
        look = Look.find(read.key.address, past: read.past, from: read.node)
        policy =
            if !look.isDefault || read.key.isSafeInTests || look.cell != nil && read.key.role == nil {
                nil
            } else {
                look.between & Mask.policy != 0 ? PolicyInForce(in: read.node) : PolicyInForce()
            }
    }

    /// The value, if it is there and not what has begun as a live default that is forbidden where it is asked for.
    @inline(__always)
    var cell: Cell? { look.cell == nil || isOnce && defaultIs(.forbidden) ? nil : look.cell }

    /// Whether the value is kept.
    var isKept: Bool { !read.key.isTransient }
    /// Whether it stays once it is begun.
    var isOnce: Bool { read.key.role != nil }
    /// The outermost level where it may be kept.
    private var outermost: Int32 { isKept && !isOnce ? look.level : 0 }

    /// What the last run of the builder read; the caller holds a line.
    var hint: Borrowed<Hint>? {
        if let provider = look.provider { provider.with { $0.hint.current } } else { read.key.hint }
    }

    /// The level where the value will be kept if the builder reads what it read last time; the caller holds a line.
    var hintedLevel: Int32 { hint?.with { $0.level(from: read.node, limit: outermost) } ?? outermost }

    /// Whether the value is the constant of its declaration, which needs no build.
    @inline(__always)
    var isConstant: Bool {
        read.key.ownDefault == .constant && look.isDefault && !isInTests && !defaultIs(.forbidden)
    }

    /// Whether the builder for tests replaces the value's own.
    @inline(__always)
    var isInTests: Bool { policy.map { $0.policy != .allowed } == true && read.key.hasTestValue }

    /// Whether a default is given that the policy does not allow without more; what has none is safe, or has another in tests.
    @inline(__always)
    func defaultIs(_ wanted: DefaultsPolicy) -> Bool {
        policy?.policy == wanted && !read.key.hasTestValue
    }
}
