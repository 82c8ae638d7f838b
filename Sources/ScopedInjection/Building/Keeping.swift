/// Why a value is kept where it is; found only where somebody asks, or observes.
extension KeepingReason {
    /// The caller holds a line.
    init(_ kept: UnsafeMutablePointer<Kept>, of key: ValueKey, in keeper: NodePointer) {
        // What an update changes was decided by the changed scope before.
        let own: Int32 = keeper.isStaging ? 1 : 0
        if let role = key.role, keeper.has(role, within: own) {
            self = .role(ScopeRole(role))
            return
        }
        let decision = Look.decide(key.address, from: keeper)
        if decision.level <= own, let place = decision.provider?.object.lastPlace {
            self = place.source == .decorated ? .decorated(at: place.location) : .provided(at: place.location)
            return
        }
        let deciding = kept.inputs.filter { Self($0, in: keeper, own) != nil }
        if let first = deciding.first {
            let direct = kept.directInputs(in: keeper)
            // What the builder has read itself says more than what lies behind that.
            let ownRead = deciding.first { input in direct.contains { $0.key == input.key } }
            let via = ownRead == nil ? direct.first { $0.leads(to: first, in: keeper) } : nil
            self = Self(ownRead ?? first, via.map { .at($0.key) }, in: keeper, own) ?? .outermost
            return
        }
        let policy = PolicyInForce(in: keeper)
        if policy.nearest <= own, keeper.hasParent,
            kept.inputs.contains(where: { $0.key == DefaultsPolicy.key.address })
        {
            self = .policy(policy.policy)
        } else {
            self = kept.isPinned ? .closed : .outermost
        }
    }

    /// The reason that an input is; nil if the keeper decides nothing about it.
    private init?(_ input: Input, _ via: ValueKey? = nil, in keeper: NodePointer, _ own: Int32) {
        let key = ValueKey.at(input.key)
        if key.bit == Mask.policy { return nil }
        let past = input.past == Input.instance ? 0 : input.past
        let decision = Look.decide(input.key, past: past, from: keeper)
        if decision.nearest <= own {
            let place = decision.provider?.object.lastPlace
            self = .input(Value(key, place?.source ?? .set, place?.location, via: via))
        } else if let role = key.role, keeper.has(role, within: own) {
            self = .staying(Value(key, .default, via: via))
        } else {
            return nil
        }
    }
}

extension Input {
    /// Whether it was itself built from another input.
    fileprivate func leads(to other: Input, in keeper: NodePointer) -> Bool {
        guard case .cell(let cell, _, _) = Look.find(key, past: past, from: keeper) else { return false }
        return cell.kept?.inputs.contains(other) == true
    }
}

extension NodePointer {
    /// Whether the scope, or one up to a level further out, has a role.
    fileprivate func has(_ role: ValueKey, within level: Int32) -> Bool {
        Look.levelOf(role, from: self).map { $0 <= level } == true
    }
}
