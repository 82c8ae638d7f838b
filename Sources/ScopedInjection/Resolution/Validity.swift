/// Whether a value that was built and kept is still what building it afresh would give.
extension EnvironmentScope {
    /// The value this scope keeps under a plan, which was found at `stamp`, if it is current and belongs here.
    ///
    /// What is not is let go of.
    func ownKept(_ plan: Plan, stamp: UInt64, _ inspection: Inspection?) -> AnyCell? {
        guard let cell = look({ $0.withSlot(for: plan.key.id) { $0.kept } }), let provenance = cell.provenance else {
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
        hasCurrentInputs(provenance) { key in currentVersion(of: key, inspection) }
    }

    /// Whether each input is what it would be now, values by the versions that `versionOf` gives.
    func hasCurrentInputs(_ provenance: Provenance, versionOf: (AnyKey) -> UInt64?) -> Bool {
        if provenance.usesFreeDefault, !areDefaultsFree { return false }
        return provenance.inputs.allSatisfy { input in
            switch input.fact {
            case .value: versionOf(input.key) == input.version
            case .decision: currentDecision(on: input.key) == input.version
            case .alias: aliasInput(of: input.key) == input
            case .policy: policyInput(for: input.key) == input
            case .closed:
                chain.contains {
                    ObjectIdentifier($0) == input.owner && $0.isClosed && $0.versionOfChain == input.version
                }
            }
        }
    }

    /// Whether there is a moment at which all that the builds have read, and what they were decided by, is what reads
    /// here would give.
    func areCurrent(_ builds: [Build]) -> Bool {
        while true {
            let stamp = table.stamp
            let areCurrent = builds.allSatisfy { build in
                let provenance = build.provenance
                return !build.isOutOfDate && (try? names(of: build.asked))?.canonical == build.key
                    && currentDecision(on: build.key) == provenance.decision && hasCurrentInputs(provenance)
            }
            if table.stamp == stamp { return areCurrent }
        }
    }

    private func currentVersion(of key: AnyKey, _ inspection: Inspection?) -> UInt64? {
        while let finding = try? find(key, within: inspection), case .cell = finding {
            if let version = look({ $0.currentCell(for: key.id)?.takeUnretainedValue().version }) { return version }
        }
        return nil
    }

    /// The version of the binding that decides on a key that is not set and is no alias.
    func currentDecision(on key: AnyKey) -> UInt64 {
        guard let names = try? names(of: key) else { return Self.isUndecided }
        guard names.canonical == key else { return Self.isElsewhere }
        return switch try? decide(key) {
        case .build(let plan)?: plan.decision
        case .set?: Self.isSet
        case nil: Self.isUndecided
        }
    }

    private static let isElsewhere = UInt64.max - 2
    private static let isSet = UInt64.max - 1
    private static let isUndecided = UInt64.max

    /// Whether a value that the parent sees is also what this scope sees: it overrides none of the inputs.
    func seesTheSame(_ cell: AnyCell, _ key: AnyKey, _ inspection: Inspection?) -> Bool {
        guard let provenance = cell.provenance else { return true }
        if provenance.isPinned { return false }
        // A binding under any name of an input would count, and so would an input that only the policy here allows.
        if Alias.isInUse || defaults != nil {
            if let inspection, inspection.contains(self, key) { return false }
            return hasCurrentInputs(provenance, Inspection(self, key, within: inspection))
        }
        return look { table in
            !provenance.keys.contains { table.withSlot(for: $0) { $0.decides } == true }
        }
    }

    /// Lets go of a kept value that was found out of date at `stamp`, unless something has changed since.
    func dropKept(_ key: AnyKey, stamp: UInt64) {
        guard look({ $0.withSlot(for: key.id) { $0.kept } }) != nil else { return }
        let dropped = change { table, _, isFollowed -> AnyCell? in
            guard table.stamp == stamp else { return nil }
            // Who was about to remember it must not.
            table.invalidate(isFollowed: isFollowed)
            return table.withSlot(for: key.id) { $0.takeKept() }
        }
        withExtendedLifetime(dropped) {}
    }

    // MARK: Defaults

    /// Whether the nearest scope with a policy forbids defaults.
    var forbidsDefaults: Bool {
        guard DefaultsPolicy.isInUse else { return false }
        return decidingPolicy?.defaults == .forbidden
    }

    /// Whether the default of one key may not be built here.
    func forbidsDefault(of key: AnyKey) -> Bool {
        forbidsDefaults && watchInForce?.allowsDefault(of: key) != true
    }

    /// The nearest scope with a policy.
    private var decidingPolicy: EnvironmentScope? { chain.first { $0.defaults != nil } }

    /// Whether no policy says anything of defaults here, but that they are allowed everywhere outside too.
    private var areDefaultsFree: Bool { scopeOfPolicy == nil }

    /// What the policy here makes of a default, as an input; nil where no policy has a say.
    func policyInput(for key: AnyKey) -> Provenance.Input? {
        scopeOfPolicy.map { scope in
            Provenance.Input(
                key: key,
                fact: .policy,
                version: forbidsDefault(of: key) ? Provenance.Input.forbidden : 0,
                owner: ObjectIdentifier(scope)
            )
        }
    }

    /// The outermost scope where what is said of defaults is the same as here, and as everywhere between.
    private var scopeOfPolicy: EnvironmentScope? {
        guard DefaultsPolicy.isInUse else { return nil }
        let chain = chain
        let isForbidden = forbidsDefaults
        let alike = chain.prefix { $0.forbidsDefaults == isForbidden }
        return alike.count == chain.count && !isForbidden ? nil : alike.last
    }

    func defaultForbidden(_ key: AnyKey) -> ScopeError {
        let forbidding = decidingPolicy ?? self
        return ScopeError(.defaultForbidden, key: key, searched: chainNames, detail: forbidding.displayName)
    }
}
