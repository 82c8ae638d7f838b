import Synchronization

/// What a scope finds when it looks one step outwards.
enum NextScope {
    case none
    case scope(EnvironmentScope)
    case gone

    var scope: EnvironmentScope? {
        if case .scope(let scope) = self { scope } else { nil }
    }

    var isAny: Bool {
        if case .none = self { false } else { true }
    }
}

extension EnvironmentScope {
    /// The scope this one stands for; nil where the scope that kept a builder's value is gone.
    var standIn: EnvironmentScope? {
        switch role {
        case .scope: self
        case .builder(let build): build.standIn
        case .global: .global
        }
    }

    /// One step outwards.
    ///
    /// Of a scope that stands for itself.
    var nextScope: NextScope {
        let parent = linkedParent
        return switch parent {
        case .none: .none
        case .global: .scope(.global)
        case .scope, .standIn, .gone: parent.scope.map { .scope($0) } ?? .gone
        }
    }

    /// One step outwards, after which a change of that scope reaches this one.
    func followNextScope() -> NextScope {
        while true {
            let next = nextScope
            guard case .scope(let parent) = next, !isFollowing(parent) else { return next }
            if follow(parent) { return next }
        }
    }

    /// Holds the parent's lineage; false where it is no longer the parent, and another one may be followed by now.
    private func follow(_ parent: EnvironmentScope) -> Bool {
        let lineage = parent.state.withLock { state -> Lineage in
            let lineage = state.lineage ?? Lineage()
            state.lineage = lineage
            parent.lineageAddress.store(state.lineage.address, ordering: .relaxed)
            parent.table.addEveryReader()
            return lineage
        }
        let (isFollowed, released) = state.withLock { state -> (Bool, Lineage?) in
            guard isLinked(to: parent) else { return (false, nil) }
            defer { state.followed = lineage }
            return (true, state.followed)
        }
        withExtendedLifetime(released) {}
        return isFollowed
    }

    /// Under the mutex.
    private func isLinked(to parent: EnvironmentScope) -> Bool {
        let linked = parentLink.parent
        if case .global = linked { return parent.isGlobal }
        return linked.scope === parent
    }

    private func isFollowing(_ parent: EnvironmentScope) -> Bool {
        let followed = state.withLock { $0.followed.address }
        return followed != 0 && followed == parent.lineageAddress.load(ordering: .relaxed)
    }

    /// The build in progress whose builder made this scope, or one it lies below.
    var buildAbove: Build? {
        guard Build.hasChildren else { return nil }
        for scope in chain {
            guard case .standIn(let parent) = scope.linkedParent, case .builder(let build) = parent.role else {
                continue
            }
            if build.isBuilding { return build }
        }
        return nil
    }

    /// The name the parent had.
    var parentName: String? { readParent { $0.name } }

    /// The scope and those outside it, as far as they are alive.
    var chain: [EnvironmentScope] {
        var scopes = [self]
        while let next = scopes[scopes.count - 1].nextScope.scope { scopes.append(next) }
        return scopes
    }

    /// Which scopes the chain consists of, as the version of an input.
    var versionOfChain: UInt64 {
        var hasher = Hasher()
        for scope in chain { hasher.combine(ObjectIdentifier(scope)) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// The names of the chain, for errors; ends with a mark where a parent is gone.
    var chainNames: [String] {
        let scopes = chain
        var names = scopes.map(\.displayName)
        let outermost = scopes[scopes.count - 1]
        if case .gone = outermost.nextScope { names.append("\(Self.display(outermost.parentName)) (gone)") }
        return names
    }

    /// The name in quotes, as texts show it.
    var displayName: String { Self.display(name) }

    static func display(_ name: String?) -> String { name.map { "\"\($0)\"" } ?? unnamed }

    /// The name, or what stands for it where there is none.
    var label: String { name ?? Self.unnamed }

    /// A label in quotes, where it is a name.
    static func display(label: String) -> String { label == unnamed ? label : display(label) }

    private static let unnamed = "unnamed scope"

    func setParent(_ newValue: EnvironmentScope?) {
        let parent = newValue?.standIn
        let garbage = Self.treeLock.withLock { _ -> ReplacedParent in
            if let parent, parent.chain.contains(where: { $0 === self }) {
                endProgram(asParent: parent)
            }
            if self === EnvironmentScope.global, parent != nil {
                ScopeError(
                    .invalid,
                    detail: "The global scope cannot have a parent.",
                    advice: "put a scope of yours in its place (EnvironmentScope.global = …), or below it."
                ).endProgram()
            }
            let held = parent.map { Anchor($0) }
            return change { table, state, isFollowed in
                let old = ReplacedParent(
                    builderScope: parentLink.detach(),
                    followed: state.followed,
                    held: state.rare?.heldParent
                )
                if let newValue { parentLink.attach(to: newValue) }
                table.locks.noteMove()
                state.followed = nil
                // Before the holders are counted: who counts himself later sees it.
                hasParentToKeep.store(parentLink.hasScope, ordering: .sequentiallyConsistent)
                holders.mayHoldParent.store(true, ordering: .sequentiallyConsistent)
                state.makeRare().heldParent = holders.count > 0 ? held : nil
                table.invalidate(isFollowed: isFollowed)
                if Alias.isInUse { table.locks.noteNames() }
                return old
            }
        }
        withExtendedLifetime(garbage) {}
        if case .builder(let build) = newValue?.role { build.noteChild() }
        Ownership.noteParent(of: self)
        Ownership.releaseReferences(inValuesOf: chain)
    }

    /// What held on to a parent that has been replaced, to be let go of without locks.
    private struct ReplacedParent {
        let builderScope: EnvironmentScope?
        let followed: Lineage?
        let held: Anchor?
    }

    private func endProgram(asParent parent: EnvironmentScope) -> Never {
        let isSelf = parent === self
        let (name, parentName) = (displayName, parent.displayName)
        ScopeError(
            .invalid,
            detail: isSelf
                ? "\(name) cannot be its own parent."
                : "\(parentName) lies below \(name) already, so it cannot be the parent of \(name).",
            advice: isSelf ? nil : "give \(parentName) another parent first, or none."
        ).endProgram()
    }

    /// Two scopes that were given each other as parents at once would make a chain without end.
    static let treeLock = Guarded(())
}
