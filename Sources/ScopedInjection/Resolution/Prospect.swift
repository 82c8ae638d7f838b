/// What a read of a key would give, found without building, keeping or letting go of anything.
struct Prospect {
    enum Outcome {
        /// The value lies in this cell of this scope: it is set there, or was built and is kept.
        case cell(AnyCell, EnvironmentScope)
        /// It would have to be built.
        case unbuilt
    }

    /// The key, after aliases.
    let key: AnyKey
    /// The builder that decides; nil for a set value, and for the key's own.
    let provider: AnyProvider?
    /// The scope whose binding decides; nil where only the key's own builder is left.
    let decider: EnvironmentScope?
    let outcome: Outcome

    var cell: AnyCell? {
        if case .cell(let cell, _) = outcome { cell } else { nil }
    }

    var isSet: Bool { cell.map { $0.provenance == nil } ?? false }
}

extension EnvironmentScope {
    func prospect(of key: AnyKey, within inspection: Inspection? = nil) throws(ScopeError) -> Prospect {
        let key = try names(of: key).canonical
        switch try decide(key) {
        case .set(let cell):
            let owner = chain.first { ObjectIdentifier($0) == cell.owner }
            let outcome = owner.map { Prospect.Outcome.cell(cell, $0) } ?? .unbuilt
            return Prospect(key: key, provider: nil, decider: owner, outcome: outcome)
        case .build(let plan):
            let decider = plan.provider.map { _ in plan.limit }
            let found = keptProspect(of: plan, inspection)
            let outcome = found.map { Prospect.Outcome.cell($0, $1) } ?? .unbuilt
            return Prospect(key: key, provider: plan.provider, decider: decider, outcome: outcome)
        }
    }

    /// The value that this scope or one further out keeps, and that a read here would give.
    private func keptProspect(of plan: Plan, _ inspection: Inspection?) -> (AnyCell, EnvironmentScope)? {
        for scope in chain {
            if let cell = scope.look({ $0.withSlot(for: plan.key.id) { $0.kept } }), isCurrent(cell, plan, inspection) {
                return (cell, scope)
            }
            if scope === plan.limit || plan.key.type.lifetime != .shared { break }
        }
        return nil
    }

    /// Whether what a scope of the chain keeps is what a read here would give.
    private func isCurrent(_ cell: AnyCell, _ plan: Plan, _ inspection: Inspection?) -> Bool {
        guard let provenance = cell.provenance, provenance.decision == plan.decision else { return false }
        if provenance.isPinned, cell.owner != ObjectIdentifier(self) { return false }
        if let inspection, inspection.contains(self, plan.key) { return false }
        let inner = Inspection(self, plan.key, within: inspection)
        return hasCurrentInputs(provenance) { key in version(of: key, inner) }
    }

    private func version(of key: AnyKey, _ inspection: Inspection) -> UInt64? {
        guard case .cell(let cell, let owner)? = try? prospect(of: key, within: inspection).outcome else { return nil }
        return owner.look { _ in cell.version }
    }
}
