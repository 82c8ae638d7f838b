import Synchronization

/// Who keeps a scope in force: the anchors that own it, and one who has borrowed the anchor it lends.
///
/// A scope makes the anchor when it is first entered and keeps it for the next time, so that a request makes one, not
/// one for setting its values and one for running.
struct Holders: ~Copyable, Sendable {
    private let owners = Atomic<Int>(0)
    /// The anchor to lend, retained; or one of two marks.
    private let lent = Atomic<UInt>(Self.notMade)
    /// Whether a parent may be held that was given to the scope while it was in force.
    let mayHoldParent = Atomic(false)

    private static let notMade: UInt = 0
    private static let isLent: UInt = 1

    deinit {
        let address = lent.load(ordering: .acquiring)
        if let anchor = UnsafeRawPointer(bitPattern: address), address != Self.isLent {
            SpareAnchors.put(.fromOpaque(anchor))
        }
    }

    func add() { owners.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    /// True where the last owner has gone and a parent may have been held for it.
    func remove() -> Bool {
        // Of a scope that is given a parent just now, either this sees the mark or the giver sees that nobody is left.
        owners.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0
            && mayHoldParent.load(ordering: .sequentiallyConsistent)
    }

    var count: Int {
        // In this order, because a borrower turns into an owner, never an owner into a borrower.
        let borrowers = lent.load(ordering: .sequentiallyConsistent) == Self.isLent ? 1 : 0
        return borrowers + owners.load(ordering: .sequentiallyConsistent)
    }

    // MARK: Lending

    /// What one who enters a scope can borrow.
    enum Loan {
        case anchor(Anchor)
        /// None was made yet; the borrower does.
        case notMade
        /// Somebody else has it.
        case lentAlready
    }

    func borrow() -> Loan {
        guard lent.load(ordering: .relaxed) != Self.isLent else { return .lentAlready }
        let address = lent.exchange(Self.isLent, ordering: .sequentiallyConsistent)
        guard address != Self.isLent else { return .lentAlready }
        guard let anchor = UnsafeRawPointer(bitPattern: address) else { return .notMade }
        return .anchor(Unmanaged.fromOpaque(anchor).takeRetainedValue())
    }

    /// The first loan of a scope that is new and known to nobody else.
    func borrowFirst(for scope: EnvironmentScope, keeping parent: consuming KeptParent) -> Anchor {
        lent.store(Self.isLent, ordering: .relaxed)
        return Anchor.lent(by: scope, keeping: parent)
    }

    /// Keeps the anchor for the next borrower; true where a parent may have been held for this one.
    func giveBack(_ anchor: consuming Anchor) -> Bool {
        let address = UInt(bitPattern: Unmanaged.passRetained(consume anchor).toOpaque())
        lent.store(address, ordering: .sequentiallyConsistent)
        return mayHoldParent.load(ordering: .sequentiallyConsistent)
    }

    /// The next borrower makes another anchor.
    func lose() { lent.store(Self.notMade, ordering: .sequentiallyConsistent) }
}

extension EnvironmentScope {
    /// An anchor to run something in: the lent one, or where somebody else has it, another.
    func borrowAnchor() -> Anchor {
        switch holders.borrow() {
        case .lentAlready:
            return Anchor(self)
        case .notMade:
            return Anchor.lent(by: self, keeping: keptParent())
        case .anchor(let anchor):
            anchor.keep(keptParent())
            return anchor
        }
    }

    /// Ends what was run in a borrowed anchor.
    func giveBack(_ anchor: consuming Anchor) {
        var anchor = consume anchor
        guard !anchor.isOwner else { return }
        guard isKnownUniquelyReferenced(&anchor) else {
            // A task or a closure that was left behind has it.
            anchor.becomeOwner()
            holders.lose()
            return
        }
        anchor.keep(.nothing)
        if holders.giveBack(consume anchor) { releaseHeldParent() }
    }

    func removeHolder() {
        if holders.remove() { releaseHeldParent() }
    }

    private func releaseHeldParent() {
        let released = state.withLock { state -> Anchor? in
            guard holders.count == 0, let rare = state.rare else { return nil }
            holders.mayHoldParent.store(false, ordering: .sequentiallyConsistent)
            defer { rare.heldParent = nil }
            return rare.heldParent
        }
        withExtendedLifetime(released) {}
    }
}
