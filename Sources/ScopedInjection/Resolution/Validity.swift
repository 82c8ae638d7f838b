/// Whether a value that was built and kept is still what building it afresh would give.
extension EnvironmentScope {
    /// The value this scope keeps under a plan, if it is current and belongs here.
    ///
    /// What is not is let go of.
    func ownKept(_ plan: Plan, _ inspection: Inspection?) -> AnyCell? {
        let stamp = table.stamp
        guard let cell = look({ $0.slot(for: plan.key.id)?.pointee.kept }), let provenance = cell.provenance else {
            return nil
        }
        // A value that is its own input, at some remove, was outlived by its inputs.
        if let inspection, inspection.contains(self, plan.key) { return nil }
        let inner = Inspection(self, plan.key, within: inspection)
        if provenance.decision == plan.decision, belongsHere(provenance, plan), hasCurrentInputs(provenance, inner) {
            return cell
        }
        dropKept(plan.key, stamp: stamp)
        return nil
    }

    /// Whether this is the outermost scope that sees the same inputs.
    private func belongsHere(_ provenance: Provenance, _ plan: Plan) -> Bool {
        plan.key.type.lifetime == .scoped || plan.limit === self
            || provenance.inputs.contains { $0.owner == ObjectIdentifier(self) }
    }

    /// Whether each input is what a read in this scope would give now.
    func hasCurrentInputs(_ provenance: Provenance, _ inspection: Inspection? = nil) -> Bool {
        provenance.inputs.allSatisfy { input in
            switch input.fact {
            case .value: currentVersion(of: input.key, inspection) == input.version
            case .decision: currentDecision(on: input.key) == input.version
            // Where it leads is what the value or decision that goes with it tells.
            case .alias: true
            }
        }
    }

    private func currentVersion(of key: AnyKey, _ inspection: Inspection?) -> UInt64? {
        while let finding = try? find(key, within: inspection), case .cell = finding {
            if let version = look({ $0.currentCell(for: key.id)?.takeUnretainedValue().version }) { return version }
        }
        return nil
    }

    /// The version of the binding that decides on a key that is not set.
    func currentDecision(on key: AnyKey) -> UInt64 {
        switch try? decide(key) {
        case .build(let plan)?: plan.decision
        case .set?: Self.isSet
        case nil: Self.isUndecided
        }
    }

    private static let isSet = UInt64.max - 1
    private static let isUndecided = UInt64.max

    /// Whether a value that the parent sees is also what this scope sees: it overrides none of the inputs.
    func seesTheSame(_ cell: AnyCell, _ inspection: Inspection?) -> Bool {
        guard let provenance = cell.provenance else { return true }
        if provenance.isPinned { return false }
        // A binding under any name of an input would count.
        if Alias.isInUse { return hasCurrentInputs(provenance, inspection) }
        return look { table in
            !provenance.keys.contains { table.slot(for: $0)?.pointee.decides == true }
        }
    }

    /// Lets go of a kept value that was found out of date at `stamp`, unless something has changed since.
    func dropKept(_ key: AnyKey, stamp: UInt64) {
        guard look({ $0.slot(for: key.id)?.pointee.kept != nil }) else { return }
        let dropped = change { table, _, _ -> AnyCell? in
            guard table.stamp == stamp, let slot = table.slot(for: key.id), let local = slot.pointee.local else {
                return nil
            }
            // A read in between may have remembered it again under a newer build; such a slot stays.
            if slot.pointee.stamp == stamp { return nil }
            defer { local.takeUnretainedValue().kept = nil }
            return local.takeUnretainedValue().kept
        }
        withExtendedLifetime(dropped) {}
    }

    // MARK: Defaults

    /// Whether the nearest scope with a policy forbids defaults.
    var forbidsDefaults: Bool {
        guard DefaultsPolicy.isInUse else { return false }
        return chain.first { $0.defaults != nil }?.defaults == .forbidden
    }

    /// Whether a cell may serve here.
    ///
    /// Throws where only the key's own default could give the value.
    func mayUse(_ cell: AnyCell, for key: AnyKey) throws(ScopeError) -> Bool {
        guard let provenance = cell.provenance, provenance.usesDefaults, forbidsDefaults else { return true }
        if provenance.decision == 0, forbidsDefault(of: key) { throw defaultForbidden(key) }
        return !forbidsAnyDefault(in: provenance)
    }

    /// Whether the default of one key may not be built here.
    func forbidsDefault(of key: AnyKey) -> Bool {
        forbidsDefaults && watchInForce?.allowsDefault(of: key) != true
    }

    /// Whether a value was built from a default that may not be built here.
    private func forbidsAnyDefault(in provenance: Provenance) -> Bool {
        guard let watch = watchInForce else { return true }
        return provenance.keys.contains { id in
            guard let key = AnyKey(id) else { return true }
            return currentDecision(on: key) == 0 && !watch.allowsDefault(of: key)
        }
    }

    func defaultForbidden(_ key: AnyKey) -> ScopeError {
        let forbidding = chain.first { $0.defaults != nil } ?? self
        return ScopeError(.defaultForbidden, key: key, searched: chainNames, detail: forbidding.displayName)
    }
}
