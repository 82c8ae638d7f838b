/// Why a value cannot be built, as far as that is known before a builder runs.
enum Refusal {
    case parentReleased
    case forbidden
    case missing
    /// No scope has the role in which it is begun.
    case noRole(ValueKey, BuilderPlace?)
    /// This thread carries out the decision for the same scope already.
    case cycle(first: Build)
}

extension Resolution {
    /// The caller holds a line.
    @inline(__always)
    static func refusal(_ plan: Plan) -> Refusal? {
        let (key, look) = (plan.read.key, plan.look)
        if look.version == Input.gone { return .parentReleased }
        let hasNoBuilder = look.isDefault && key.ownDefault == .none && !plan.isInTests
        if plan.defaultIs(.forbidden) { return .forbidden }
        if let role = key.role, look.keeper < 0, !hasNoBuilder {
            return .noRole(role, look.provider?.with { $0.lastPlace })
        }
        if hasNoBuilder { return .missing }
        return firstOfCycle(plan).map { .cycle(first: $0) }
    }

    /// The build of this thread that the new one would need, and that needs the new one.
    private static func firstOfCycle(_ plan: Plan) -> Build? {
        let (key, node) = (plan.read.key, plan.read.node)
        let nested = plan.read.thread.pointee.activity.build?.run.nestedKeys ?? 0
        guard nested & key.hashBit != 0 else { return nil }
        return Build.onThisThread { $0.key == key && $0.decision == plan.look.version && $0.asking == node }
    }

    /// The error of a refusal, which is recorded for the user.
    static func refuse(_ reason: Refusal, _ plan: Plan) -> ScopeError {
        let read = plan.read
        let (key, node, user) = (read.key, read.node, read.user?.object)
        let names = { node.withScope { $0.chainNames } }
        let error =
            switch reason {
            case .parentReleased: node.withScope { $0.parentReleased(key) }
            case .forbidden: forbidden(read)
            case .missing: ScopeError(.missingValue, key: key, searched: names())
            case .noRole(let role, let place): noRole(role, key, place, names())
            case .cycle(let first): cycle(to: first, plan, user)
            }
        if [.missingValue, .defaultForbidden].contains(error.code) {
            if let policy = plan.policy { user?.record(policy: policy) }
            read.beginner?.with { $0.record(failureOf: key, plan.look.version, policy: plan.policy) }
            if node.isWatched { node.withScope { $0 }.watch?.tellOfRefusal(error.located(), isNil: false) }
        }
        if case .forbidden = reason, plan.isOnce {
            // It may have begun, or not.
            user?.run.hasReadUnkept = true
            return error
        }
        user?.record(key, plan.look.version, past: read.past, level: plan.look.nearest)
        return error
    }

    private static func noRole(_ role: ValueKey, _ key: ValueKey, _ place: BuilderPlace?, _ names: ChainNames)
        -> ScopeError
    {
        var error = ScopeError(.roleMissing, key: key, searched: names, detail: role.name)
        error.fields.builder = place
        return error
    }

    /// - Parameter place: That of the builder.
    static func closed(_ read: Read, _ level: Int32, _ place: BuilderPlace?) -> ScopeError {
        let node = read.node
        let (names, closed, isRoot) = node.inspect {
            let keeper = node.outwards(level)
            return (node.namesOfChain, keeper?.withScope { $0.displayName }, keeper?.hasParent == false)
        }
        var error = ScopeError(
            .closed,
            key: read.key,
            searched: names,
            detail: "\(closed ?? "the scope") is closed, and the value has a cleanup",
            advice: isRoot ? "close \(closed ?? "it") last, when nothing reads in it any more." : nil
        )
        error.fields.builder = place
        return error
    }

    /// The error of a default that a policy does not allow.
    static func forbidden(_ read: Read) -> ScopeError {
        let node = read.node
        let (names, policy) = node.inspect {
            let deciding = node.chain.first { $0.pointee.decides & Mask.policy != 0 }
            return (node.namesOfChain, deciding?.withScope { $0.displayName })
        }
        return ScopeError(.defaultForbidden, key: read.key, searched: names, detail: policy)
    }

    private static func cycle(to first: Build, _ plan: Plan, _ user: Build?) -> ScopeError {
        let (key, node) = (plan.read.key, plan.read.node)
        var path: [Build] = []
        _ = Build.onThisThread { build in
            path.append(build)
            return build === first
        }
        let isWrapping = path.count == 1 && plan.look.provider != nil
        let name = key.codeName ?? "…"
        var error = ScopeError(
            .cycle,
            key: key,
            searched: node.withScope { $0.chainNames },
            advice: isWrapping
                ? """
                to build it from what it would be otherwise, call scope.decorate(\(name)) { inherited, reader in … }, or \
                scope.modify(\(name)) { … } for a part of it.
                """ : nil
        )
        error.fields.path = path.reversed().map(\.key.name) + [key.name]
        for build in path {
            build.run.cycle = error
            // What the others read before is the reason why they need this one.
            if let user, build !== user, build.asking == node { user.record(all: build) }
        }
        return error
    }
}
