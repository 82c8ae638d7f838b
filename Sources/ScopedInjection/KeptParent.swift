import Synchronization

/// What an anchor keeps alive of what lies outside its scope.
struct KeptParent: ~Copyable {
    private enum Kind {
        case nothing
        case anchor(Anchor)
        /// A parent outside which nothing has to be kept: an object less for each request.
        case outermost(Unmanaged<EnvironmentScope>)
    }

    private let kind: Kind

    static var nothing: KeptParent { KeptParent(kind: .nothing) }

    private init(kind: Kind) { self.kind = kind }

    /// Takes over the caller's reference, because retaining what children hold weakly is slow.
    init(_ newParent: consuming EnvironmentScope) {
        let parent = consume newParent
        guard !parent.isProxy, !parent.isGlobal else {
            kind = .nothing
            return
        }
        parent.holders.add()
        // Asked after being counted: a parent given from now on is held for this holder.
        guard parent.hasParentToKeep.load(ordering: .sequentiallyConsistent) else {
            kind = .outermost(.passRetained(consume parent))
            return
        }
        // The usual case: something is entered within the request it belongs to.
        if let current = Anchor.current, current.isOf(parent) {
            kind = .anchor(current)
        } else {
            kind = .anchor(Anchor(parent))
        }
        parent.removeHolder()
    }

    deinit {
        guard case .outermost(let parent) = kind else { return }
        parent._withUnsafeGuaranteedRef { $0.removeHolder() }
        parent.release()
    }
}

extension EnvironmentScope {
    /// What has to be kept of the scope's chain by one who already counts among its holders.
    func keptParent() -> KeptParent {
        guard hasParentToKeep.load(ordering: .sequentiallyConsistent), let parent = linkedParent.scope else {
            return .nothing
        }
        return KeptParent(parent)
    }
}
