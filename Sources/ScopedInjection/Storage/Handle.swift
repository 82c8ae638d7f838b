import Synchronization

/// Leads to a scope without owning it; children hold one of their parent.
///
/// A scope has one handle for each line, so that children made on different threads do not contend. It is cleared
/// under every line when its scope goes. So a thread that holds a line, and finds the scope, may use it until it
/// unlocks the line.
final class Handle: @unchecked Sendable {
    // Sendable because it is read under a line and changed under every line, except for the part that its own line
    // guards.

    enum Kind: UInt8 { case scope, global, builder }

    let kind: Kind
    /// A number that no other handle has; that of the global scope gets a new one with each scope that it leads to.
    @exclusivity(unchecked) private(set) var number: UInt64
    /// Whether a builder made the scope.
    let isBuilderMade: Bool
    /// The name of the scope, for texts after the scope is gone.
    let name: String?
    /// The scope's node; nil if the scope is gone, and for a handle with a stand-in.
    @exclusivity(unchecked) private(set) var node: NodePointer?
    /// For children of a builder's scope: the handle of the scope that it stands for.
    @exclusivity(unchecked) var standIn: Handle?

    /// Once the scope is gone, if a builder made it: the handle of the parent that it had; owned, except for the one of the
    /// global scope.
    @exclusivity(unchecked) private var outer: Unmanaged<Handle>?

    /// The line that guards the properties below.
    let line: Int
    /// The number of holders that keep the scope in force by this handle.
    @exclusivity(unchecked) private(set) var holders = 0
    /// The scope, while there are holders; retained by hand, so that it is retained just once.
    @exclusivity(unchecked) private var held: Unmanaged<EnvironmentScope>?
    private weak let scope: EnvironmentScope?

    /// Keeps two handles from sharing a cache line.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)

    init(_ kind: Kind, of scope: EnvironmentScope?, node: NodePointer?, name: String?, number: UInt64, line: Int) {
        self.kind = kind
        isBuilderMade = node?.pointee.isBuilderMade ?? false
        self.node = node
        self.name = name
        self.number = number
        self.line = line
        self.scope = scope
    }

    /// Makes the handle of the global scope lead to another one; the caller holds every line.
    func lead(to node: NodePointer, number: UInt64) {
        self.node = node
        self.number = number
    }

    /// Makes the handle lead nowhere; the caller holds every line.
    ///
    /// - Parameter outer: The handle of the parent.
    func cut(_ outer: Unmanaged<Handle>?) {
        node = nil
        // Others are not passed, and a row of them would hold all that were ever in it.
        guard isBuilderMade, let outer else { return }  // fault: outer-held
        self.outer = outer._withUnsafeGuaranteedRef { $0.kind } == .global ? outer : outer.retain()
    }

    deinit {
        // One after the other, because a long row of scopes may be gone whose last one this is.
        var next = takeOwned()
        while let here = next {
            next = here.isUniquelyReferenced ? here._withUnsafeGuaranteedRef { $0.takeOwned() } : nil
            here.release()
        }
    }

    /// The handle that this one owns, to be released.
    private func takeOwned() -> Unmanaged<Handle>? {
        guard let outer = outer.take() else { return standIn.take().map { .passRetained($0) } }
        return outer._withUnsafeGuaranteedRef { $0.kind } == .global ? nil : outer
    }

    /// The node of the scope, or of its stand-in; the caller holds a line.
    @inline(__always)
    var reached: NodePointer? { node ?? standIn?.node }

    /// What is left of a scope and of those further out, with the parents that they had at the end.
    enum Rest {
        /// The nearest scope that is not gone, and how many further in are, each of which a builder made.
        case reached(NodePointer, gone: Int32)
        /// Nothing: builders made all of them.
        case nothing
        /// A scope is gone that no builder made.
        case lost
    }

    /// What is left of the scope and of those further out; the caller holds a line.
    var rest: Rest {
        var here = Unmanaged.passUnretained(self)
        var gone: Int32 = 0
        while true {
            let (node, isLost, next) = here._withUnsafeGuaranteedRef { here in
                let scope = here.standIn ?? here
                return (here.reached, !scope.isBuilderMade, scope.outer)
            }
            if let node { return .reached(node, gone: gone) }
            if isLost { return .lost }
            guard let next else { return .nothing }
            here = next
            gone += 1
        }
    }

    /// The scope, or its stand-in, if it is alive; the caller holds a line.
    var reachedScope: EnvironmentScope? { scope ?? standIn?.scope }

    /// The same, for a caller that holds no line.
    var target: EnvironmentScope? {
        guard kind == .builder else { return scope }
        return Lines.shared.whileReading { reachedScope }
    }

    // MARK: Being in force

    /// Keeps the scope alive until `release()`; false if it is gone.
    ///
    /// The caller holds the handle's own line.
    ///
    /// - Parameter isKept: Whether the caller itself keeps the scope alive until then.
    func retain(isKept: Bool = false) -> Bool {
        if !isKept, held == nil {
            guard let scope else { return false }
            held = .passRetained(scope)
        }
        holders += 1
        return true
    }

    /// Returns the scope if it has to be released, after the handle's line is unlocked.
    func release() -> Unmanaged<EnvironmentScope>? {
        holders -= 1
        guard holders == 0 else { return nil }  // fault: holders
        defer { held = nil }
        return held
    }

    /// The scope, if nothing keeps it in force by this handle any more, and it may hold a parent for the last that did.
    ///
    /// The caller holds the handle's own line.
    var idleWithParent: EnvironmentScope? {
        guard holders == 0, let node, node.pointee.holdsParent.load(ordering: .relaxed) else { return nil }
        return scope
    }
}
