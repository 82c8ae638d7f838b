/// Why a value cannot be built, as far as that is known before a builder runs.
enum Refusal {
    case parentReleased
    case forbidden
    case missing
    /// No scope has the role in which it is begun.
    case noRole(ValueKey)
    /// This thread carries out the decision for the same scope already.
    case cycle(first: Build)
}

extension Resolution {
    /// The caller holds a line.
    @inline(__always)
    static func refusal(
        _ plan: borrowing Plan,
        _ node: NodePointer,
        _ thread: ThreadState.Pointer
    ) -> Refusal? {
        let decision = plan.decision
        if decision.version == Input.gone { return .parentReleased }
        let hasNoBuilder = decision.isDefault && plan.key.ownDefault == .none && !plan.isInTests
        if plan.defaultIs(.forbidden) { return .forbidden }
        if plan.isOnce, decision.keeper < 0, !hasNoBuilder, let role = plan.key.role { return .noRole(role) }
        if hasNoBuilder { return .missing }
        return firstOfCycle(plan, node, thread).map { .cycle(first: $0) }
    }

    /// The build of this thread that the new one would need, and that needs the new one.
    private static func firstOfCycle(_ plan: borrowing Plan, _ node: NodePointer, _ thread: ThreadState.Pointer)
        -> Build?
    {
        let innermost = thread.pointee.activity.build
        let nested = innermost?.run.nestedKeys ?? 0
        guard nested & plan.key.hashBit != 0 else { return nil }
        let (key, version) = (plan.key, plan.decision.version)
        return Build.onThisThread { $0.key == key && $0.decision == version && $0.asking == node }
    }

    /// The error of a refusal, which is recorded for the user.
    static func refuse(_ reason: Refusal, _ plan: borrowing Plan, _ read: Read) -> ScopeError {
        let (node, user) = (read.node, read.user?.object)
        let names = { node.withScope { $0.chainNames } }
        let error =
            switch reason {
            case .parentReleased: node.withScope { $0.parentReleased(plan.key) }
            case .forbidden: forbidden(plan, node)
            case .missing: ScopeError(.missingValue, key: plan.key, searched: names())
            case .noRole(let role): noRole(role, plan, names())
            case .cycle(let first): cycle(to: first, plan, node, user)
            }
        if [.missingValue, .defaultForbidden].contains(error.code) {
            if let policy = plan.policy { user?.record(policy: policy) }
            read.beginner?.with { $0.record(failureOf: plan.key, plan.decision.version, policy: plan.policy) }
            if node.isWatched { node.withScope { $0 }.watch?.tellOfRefusal(error.located(), isNil: false) }
        }
        if case .forbidden = reason, plan.isOnce {
            // It may have begun, or not.
            user?.run.hasReadUnkept = true
            return error
        }
        user?.record(plan.key, plan.decision.version, past: plan.past, level: plan.decision.nearest)
        return error
    }

    private static func noRole(_ role: ValueKey, _ plan: borrowing Plan, _ names: ChainNames) -> ScopeError {
        var error = ScopeError(.roleMissing, key: plan.key, searched: names, detail: role.name)
        error.fields.builder = plan.provider?.lastPlace
        return error
    }

    static func closed(_ plan: borrowing Plan, _ node: NodePointer, _ level: Int32) -> ScopeError {
        let (names, closed, isRoot) = node.inspect {
            let keeper = node.outwards(level)
            return (node.namesOfChain, keeper?.withScope { $0.displayName }, keeper?.hasParent == false)
        }
        var error = ScopeError(
            .closed,
            key: plan.key,
            searched: names,
            detail: "\(closed ?? "the scope") is closed, and the value has a cleanup",
            advice: isRoot ? "close \(closed ?? "it") last, when nothing reads in it any more." : nil
        )
        error.fields.builder = plan.provider?.onlyPlace
        return error
    }

    /// The error of a default that a policy does not allow.
    static func forbidden(_ plan: borrowing Plan, _ node: NodePointer) -> ScopeError {
        let (names, policy) = node.inspect {
            let deciding = node.chain.first { $0.pointee.decides & Mask.policy != 0 }
            return (node.namesOfChain, deciding?.withScope { $0.displayName })
        }
        return ScopeError(.defaultForbidden, key: plan.key, searched: names, detail: policy)
    }

    private static func cycle(to first: Build, _ plan: borrowing Plan, _ node: NodePointer, _ user: Build?)
        -> ScopeError
    {
        var path: [Build] = []
        _ = Build.onThisThread { build in
            path.append(build)
            return build === first
        }
        let isWrapping = path.count == 1 && plan.provider != nil
        let name = plan.key.codeName ?? "…"
        var error = ScopeError(
            .cycle,
            key: plan.key,
            searched: node.withScope { $0.chainNames },
            advice: isWrapping
                ? """
                to build it from what it would be otherwise, call scope.decorate(\(name)) { inherited, reader in … }, or \
                scope.modify(\(name)) { … } for a part of it.
                """ : nil
        )
        error.fields.path = path.reversed().map(\.key.name) + [plan.key.name]
        for build in path {
            build.run.cycle = error
            // What the others read before is the reason why they need this one.
            if let user, build !== user, build.asking == node { user.record(all: build) }
        }
        return error
    }
}
