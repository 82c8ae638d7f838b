/// The errors of values that cannot be built, as far as they are known before a builder runs.
extension Resolution {
    static func refusal(
        _ plan: borrowing Plan,
        _ trail: [ValueKey],
        _ node: NodePointer,
        _ user: Build?,
        _ thread: ThreadState.Pointer
    ) -> ScopeError? {
        let names = { node.withScope { $0.chainNames } }
        var error: ScopeError
        if plan.decision.target != nil {
            error = .circle(of: trail, searched: names())
        } else if plan.decision.version == Input.gone {
            error = node.withScope { $0.parentReleased(plan.key) }
        } else if plan.defaultIs(.forbidden) {
            error = forbidden(plan, node)
            if let policy = plan.policy { user?.record(policy: policy) }
        } else if plan.decision.isDefault, plan.key.ownDefault == .none, !plan.isInTests {
            error = ScopeError(.missingValue, key: plan.key, searched: names())
            if let policy = plan.policy { user?.record(policy: policy) }
        } else if let level = plan.closedLevel, plan.key.lifetime != .transient, level > plan.decision.pastLevel {
            error = closed(plan, node, level)
            user?.pin()
        } else if let circle = cycle(plan, node, user, thread) {
            error = circle
        } else {
            return nil
        }
        if error.code != .cycle { error.fields.alias = trail.first }
        user?.record(plan.key, plan.decision.version, past: plan.past, level: plan.decision.nearest)
        return error
    }

    static func closed(_ plan: borrowing Plan, _ node: NodePointer, _ level: Int32) -> ScopeError {
        let (names, closed, isRoot) = node.whileReading {
            let keeper = node.outwards(level)
            return (node.namesOfChain, keeper?.withScope { $0.displayName }, keeper?.hasParent == false)
        }
        return ScopeError(
            .closed,
            key: plan.key,
            searched: EnvironmentScope.display(names),
            detail: "\(closed ?? "the scope") is closed",
            advice: isRoot ? "close \(closed ?? "it") last, when nothing reads in it any more." : nil
        )
    }

    /// The error of a default that a policy does not allow.
    static func forbidden(_ plan: borrowing Plan, _ node: NodePointer) -> ScopeError {
        let (names, policy) = node.whileReading {
            let deciding = node.chain.first { $0.pointee.decides & Mask.policy != 0 }
            return (node.namesOfChain, deciding?.withScope { $0.displayName })
        }
        return ScopeError(.defaultForbidden, key: plan.key, searched: EnvironmentScope.display(names), detail: policy)
    }

    /// The error of a cycle, if this thread carries out the decision for the same scope already.
    private static func cycle(
        _ plan: borrowing Plan,
        _ node: NodePointer,
        _ user: Build?,
        _ thread: ThreadState.Pointer
    ) -> ScopeError? {
        let innermost = thread.pointee.build.map { Unmanaged<Build>.fromOpaque($0.toOpaque()) }
        let nested = innermost?._withUnsafeGuaranteedRef { $0.nestedKeys } ?? 0
        guard nested & plan.key.hashBit != 0 else { return nil }
        let (key, version) = (plan.key, plan.decision.version)
        let isSame = { (build: Build) in build.key == key && build.decision == version && build.asking == node }
        guard let first = Build.onThisThread(isSame) else { return nil }
        var path: [Build] = []
        _ = Build.onThisThread { build in
            path.append(build)
            return build === first
        }
        var error = ScopeError(.cycle, key: key, searched: node.withScope { $0.chainNames })
        error.fields.path = path.reversed().map(\.key.name) + [key.name]
        for build in path {
            build.cycle = error
            // What the others read before is the reason why they need this one.
            if let user, build !== user, build.asking == node { user.record(all: build) }
        }
        return error
    }
}

extension ScopeError {
    /// The error of aliases that go round in a circle, which the trail contains.
    static func circle(of trail: [ValueKey], searched: [String]) -> ScopeError {
        var error = ScopeError(.cycle, key: trail.first, searched: searched, detail: "aliases")
        let second = trail.indices.first { trail[..<$0].contains(trail[$0]) } ?? trail.endIndex - 1
        let first = trail.firstIndex(of: trail[second]) ?? 0
        error.fields.path = trail[first...second].map(\.name)
        return error
    }
}
