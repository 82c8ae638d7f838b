import Synchronization

/// Giving the value of a key: found, or built and kept where it belongs.
extension EnvironmentScope {
    /// The value of a key as this scope sees it.
    ///
    /// - Parameter recorder: The build that reads, for which the value is an input.
    func resolve<Key: ScopeKey>(_: Key.Type, for recorder: Build?) throws(ScopeError) -> Key.Value {
        let key = AnyKey(Key.self)
        let recorder = recorder ?? buildAbove
        var patience = innermost(recorder)?.patience
        while true {
            let stamp = table.stamp
            let plan: Plan
            switch try find(key, at: stamp, for: recorder) {
            case nil:
                continue
            case .cell?:
                // Not through a closure: an optional of the value would have its type made up at run time.
                let line = startLooking()
                if recorder == nil || table.stamp == stamp,
                    let cell = table.currentCell(for: key.id)?.takeUnretainedValue()
                {
                    let value = cell.value(as: Key.Value.self)
                    let read = recorder == nil ? nil : input(in: cell, of: key)
                    finishRetaining()
                    table.unlockForReading(line)
                    if let (input, provenance) = read { recorder?.record(input, from: provenance) }
                    return value
                }
                table.unlockForReading(line)
                continue
            case .unbuilt(let unbuilt)?:
                plan = unbuilt
            }
            let patienceLeft = patience ?? Patience()
            patience = patienceLeft
            switch try build(Key.self, plan, foundAt: stamp, for: recorder, patienceLeft) {
            case .value(let value, _): return value
            case .tryAgain: patienceLeft.lessen()
            case .found: continue
            }
        }
    }

    /// Finds a value, and records what it is found by: the key's name, and that there is none to be found.
    ///
    /// Nil where something has changed since `stamp`, so that what is recorded is true of one moment.
    private func find(_ key: AnyKey, at stamp: UInt64, for recorder: Build?) throws(ScopeError) -> Finding? {
        let alias = recorder == nil ? nil : aliasInput(of: key)
        do throws(ScopeError) {
            let finding = try find(key)
            guard let recorder else { return finding }
            guard table.stamp == stamp else { return nil }
            if let alias { recorder.record(alias, from: nil) }
            return finding
        } catch {
            if let recorder {
                let canonical = (try? names(of: key))?.canonical ?? key
                let decision = currentDecision(on: canonical)
                guard table.stamp == stamp else { return nil }
                if let alias { recorder.record(alias, from: nil) }
                recorder.record(unfound: canonical, decision: decision)
            }
            // It may have been found out by a scope further out, where the search went on.
            var error = error
            error.searchedScopes = chainNames
            throw error
        }
    }

    /// What a build records of a cell it reads; the caller holds the line.
    private func input(in cell: AnyCell, of key: AnyKey) -> (Provenance.Input, Provenance?) {
        cell.isInput.store(true, ordering: .relaxed)
        return (Provenance.Input(key: key, fact: .value, version: cell.version, owner: cell.owner), cell.provenance)
    }

    /// How an attempt to build a value ended.
    private enum Attempt<Value> {
        /// Kept by a scope, or by none.
        case value(Value, EnvironmentScope?)
        /// Somebody else has set or built it.
        case found
        /// What it was built from changed meanwhile.
        case tryAgain

        var keeper: EnvironmentScope? {
            if case .value(_, let keeper) = self { keeper } else { nil }
        }
    }

    private func build<Key: ScopeKey>(
        _: Key.Type,
        _ plan: Plan,
        foundAt stamp: UInt64,
        for recorder: Build?,
        _ patience: Patience
    ) throws(ScopeError) -> Attempt<Key.Value> {
        let outer = innermost(recorder)
        let build = Build(plan, of: AnyKey(Key.self), asking: self, outer: outer, patience)
        do throws(ScopeError) {
            try checkBuilding(plan, build, within: outer)
            if plan.key.type.lifetime != .transient, try isGivenByOthers(plan, before: build, outer, recorder) {
                finish(build, plan, for: self)
                return .found
            }
        } catch {
            // That nothing is to be built may be true of another moment than that the value has to be built.
            let isStale = error.code != .cycle && table.stamp != stamp
            if isStale, !patience.isOver, !build.isForOneOutOfDate {
                finish(build, plan, for: self)
                return .tryAgain
            }
            if isStale { build.noteOutOfDate() }
            finish(build, plan, for: self, error: error)
            recorder?.record(unkept: build, of: plan)
            throw error
        }

        let observation = Observation.begin()
        let made = make(Key.self, plan, build)
        do throws(ScopeError) {
            switch made {
            case .success(let value):
                let attempt = try settle(value, plan, build, for: recorder, isLastAttempt: patience.isOver)
                observation?.end(.built, plan.key, in: self, keptIn: attempt.keeper)
                return attempt
            case .failure(let error):
                let isStale = !areCurrent([build])
                if isStale { build.noteCycleOutOfDate() }
                if isStale, !patience.isOver, !build.hasChangedScopes, !build.isForOneOutOfDate {
                    finish(build, plan, for: self, error: nil)
                    return .tryAgain
                }
                if isStale { build.noteOutOfDate() }
                throw error
            }
        } catch {
            finish(build, plan, for: self, error: error)
            recorder?.record(unkept: build, of: plan)
            observation?.end(.failed, plan.key, in: self, error: error)
            throw error
        }
    }

    /// The innermost build in progress on whose behalf this scope is read.
    private func innermost(_ recorder: Build?) -> Build? {
        guard let current = Build.current else { return recorder }
        guard let recorder else { return current }
        return current.isWithin(recorder) ? current : recorder
    }

    private func checkForCycle(_ plan: Plan, within outer: Build) throws(ScopeError) {
        var builds: [Build] = []
        var depth = 0
        for build in outer.ancestry {
            builds.append(build)
            guard build.key == plan.key, build.decision == plan.decision else { continue }
            depth += 1
            // A builder that makes ever new scopes to read its own key in would never end either.
            guard build.asking === self || depth > 64 else { continue }
            var error = ScopeError(.cycle, key: plan.key, searched: chainNames)
            error.path = builds.reversed().map(\.key.name) + [plan.key.name]
            if areCurrent(builds) {
                outer.doom(to: build, error)
            } else {
                for build in builds { build.noteOutOfDate() }
            }
            throw error
        }
    }

    private func checkBuilding(_ plan: Plan, _ build: Build, within outer: Build?) throws(ScopeError) {
        if let outer { try checkForCycle(plan, within: outer) }
        if plan.provider == nil {
            let policy = policyInput(for: plan.key)
            build.recordDefault(under: policy)
            if policy?.forbidsDefault == true { throw defaultForbidden(plan.key) }
        }
        if isClosed, !isReadLate {
            build.recordClosed(self)
            throw closed(plan.key, scope: self)
        }
    }

    /// Calls the user's code, without any lock.
    private func make<Key: ScopeKey>(_: Key.Type, _ plan: Plan, _ build: Build) -> Result<Key.Value, ScopeError> {
        let view = EnvironmentScope(name: nil, role: .builder(build), parent: nil, defaults: nil)
        let result: Result<Key.Value, ScopeError>
        do {
            let value = try view.run { () throws -> Key.Value in
                if let provider = plan.provider {
                    return try unsafeDowncast(provider, to: Provider<Key.Value>.self).make(view)
                }
                return plan.key.id == ObjectIdentifier(Key.self)
                    ? try Key.makeValue(in: view) : try Self.makeValue(of: plan.key.type, in: view)
            }
            result = .success(value)
        } catch {
            result = .failure(explained(error, plan.key))
        }
        // A builder that swallows the error of a cycle it is part of would make the value depend on who came first.
        return build.cycle.map { .failure($0) } ?? result
    }

    /// Builds the value of a key that another one stands for by an alias.
    private static func makeValue<Key: ScopeKey, Value>(of key: Key.Type, in view: EnvironmentScope) throws -> Value {
        guard let value = try key.makeValue(in: view) as? Value else {
            fatalError("\(key) has values of another type than the key that is its alias")
        }
        return value
    }

    private func explained(_ error: any Error, _ key: AnyKey) -> ScopeError {
        guard var known = error as? ScopeError else {
            var failed = ScopeError(.makeFailed, key: key, searched: chainNames)
            failed.underlyingError = error
            return failed
        }
        if known.searchedScopes.isEmpty { known.searchedScopes = chainNames }
        if known.code != .cycle, known.subject.map({ $0 != key }) ?? false {
            if known.path.isEmpty { known.path = [known.subject?.name ?? "?"] }
            known.path.insert(key.name, at: 0)
        }
        return known
    }

    // MARK: Keeping

    /// Keeps a value that was built, if all it was built from is still current.
    private func settle<Value>(
        _ value: Value,
        _ plan: Plan,
        _ build: Build,
        for recorder: Build?,
        isLastAttempt: Bool
    ) throws(ScopeError) -> Attempt<Value> {
        while true {
            let stamp = table.stamp
            var provenance = build.provenance
            var isCurrent = !build.isOutOfDate && hasCurrentInputs(provenance)
            switch try find(build.asked) {
            case .cell:
                finish(build, plan, for: self)
                return .found
            case .unbuilt(let now):
                let isSamePlan =
                    now.key == plan.key && now.decision == plan.decision && now.limit === plan.limit
                isCurrent = isCurrent && isSamePlan
            }
            guard table.stamp == stamp else { continue }

            if !isCurrent {
                let isGivingUp = isLastAttempt || build.hasChangedScopes || build.isForOneOutOfDate
                finish(build, plan, for: self)
                guard isGivingUp else { return .tryAgain }
                build.noteOutOfDate()
                recorder?.record(unkept: build, of: plan)
                return .value(value, nil)
            }
            if plan.key.type.lifetime == .transient {
                finish(build, plan, for: self)
                recorder?.record(unkept: build, of: plan)
                return .value(value, nil)
            }
            let keeper = placement(of: provenance, plan)
            if plan.key.type.lifetime == .scoped { provenance.isPinned = true }
            let cell = Cell(
                value,
                owner: ObjectIdentifier(keeper),
                version: table.locks.nextVersion(),
                provenance: provenance
            )
            switch keeper.keep(cell, plan.key, seenBy: self, stamp: stamp) {
            case .kept:
                keeper.addCleanups(build.takeCleanups())
                finish(build, plan, for: keeper)
                let input = Provenance.Input(key: plan.key, fact: .value, version: cell.version, owner: cell.owner)
                recorder?.record(input, from: provenance)
                Ownership.releaseReferences(in: value, storedIn: keeper)
                return .value(value, keeper)
            case .changed: continue
            case .closed:
                build.recordClosed(keeper)
                guard isReadLate else { throw closed(plan.key, scope: keeper) }
                finish(build, plan, for: self)
                recorder?.record(unkept: build, of: plan)
                return .value(value, nil)
            }
        }
    }

    /// The deepest scope that supplied an input; the plan's limit where none did.
    private func placement(of provenance: Provenance, _ plan: Plan) -> EnvironmentScope {
        if plan.key.type.lifetime == .scoped { return self }
        let owners = Set(provenance.inputs.compactMap(\.owner))
        for scope in chain {
            if scope === plan.limit || owners.contains(ObjectIdentifier(scope)) { return scope }
        }
        return plan.limit
    }

    private enum Keeping { case kept, changed, closed }

    private func keep(_ cell: AnyCell, _ key: AnyKey, seenBy asking: EnvironmentScope, stamp: UInt64) -> Keeping {
        let (keeping, old) = change { table, state, isFollowed -> (Keeping, AnyCell?) in
            let keeperStamp = table.stamp
            // A change that the asking scope would see since `stamp` has advanced its stamp; so has the closing.
            guard asking.table.stamp == stamp else { return (.changed, nil) }
            if state.isClosed { return (.closed, nil) }
            let local = table.update(key.id) { $0.makeLocal() }
            let old = local.kept
            local.kept = cell
            // It may be remembered elsewhere, if two have built the same at once to avoid waiting for each other.
            if old != nil { table.invalidate(isFollowed: isFollowed) }
            _ = table.putCurrentCell(cell, for: key.id, foundAt: keeperStamp)
            return (.kept, old)
        }
        withExtendedLifetime(old) {}
        return keeping
    }

    /// Ends a build; cleanups that no keeper took go to the scope that asked.
    private func finish(_ build: Build, _ plan: Plan, for keeper: EnvironmentScope, error: ScopeError? = nil) {
        keeper.addCleanups(build.takeCleanups())
        build.finish(for: keeper, error: error)
        startingPoint(plan).removeBuild(build)
    }

    // MARK: Others who build the same

    /// Where everybody looks who might build a value that can be shared.
    private func startingPoint(_ plan: Plan) -> EnvironmentScope {
        plan.key.type.lifetime == .shared ? plan.limit : self
    }

    /// Waits for builds that may give this scope its value; where none is left and there is no value, `build` has been
    /// announced.
    private func isGivenByOthers(
        _ plan: Plan,
        before build: Build,
        _ outer: Build?,
        _ recorder: Build?
    ) throws(ScopeError) -> Bool {
        var ruledOut: [Build] = []
        while let other = startingPoint(plan).announce(build, unlessOther: ruledOut) {
            let observation = Observation.begin()
            let progress = other.wait(for: self, within: outer)
            observation?.end(.waited, plan.key, in: self)
            switch progress {
            case .diverged, .wouldDeadlock:
                ruledOut.append(other)
            case .over(let error?) where error.code != .cycle:
                recorder?.record(unkept: other, of: plan)
                var error = error
                error.searchedScopes = chainNames
                throw error
            case .over:
                return true
            }
        }
        // Between looking and announcing, somebody may have finished.
        if case .cell = try find(build.asked) { return true }
        return false
    }

    private func announce(_ build: Build, unlessOther ruledOut: [Build]) -> Build? {
        state.withLock { state in
            let rare = state.makeRare()
            let other = rare.builds.first { other in
                other.key == build.key && other.decision == build.decision && !ruledOut.contains { $0 === other }
            }
            if other == nil { rare.builds.append(build) }
            return other
        }
    }

    private func removeBuild(_ build: Build) {
        state.withLock { $0.rare?.builds.removeAll { $0 === build } }
    }
}
