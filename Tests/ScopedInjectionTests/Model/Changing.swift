import ScopedInjection

/// Changes of one scope, one by one or several at once.
extension Runner {
    mutating func change(_ at: Int, _ change: Program.Change) throws(Difference) {
        if let scope = scope(at) { try apply(change, at, scope) }
    }

    /// - Parameter scope: The scope that has the number, or that of its update.
    private mutating func apply(_ change: Program.Change, _ at: Int, _ scope: EnvironmentScope) throws(Difference) {
        switch change {
        case .set(let value, let number):
            scope[Numbered.all[value]] = Numeral(number)
            self.change(value, in: at, to: .set(number))
        case .again(let value):
            guard case .set(let number) = model.scopes[at].entries[value] else { return }
            scope[Numbered.all[value]] = Numeral(number)
        case .remove(let value):
            scope.removeValue(for: { _ in Numbered.all[value] })
            self.change(value, in: at, to: nil)
        case .provide(let value, let recipe):
            scope.provide({ _ in Numbered.all[value] }) { try Numbered.build(value, recipe, $0) }
            self.change(
                value,
                in: at,
                to: model.scopes[at].entries[value]?.replaced(by: .provided(recipe)) ?? .provided(recipe)
            )
        case .decorate(let value, let recipe):
            scope.decorate({ _ in Numbered.all[value] }) { try Numbered.build(value, recipe, $1, over: $0) }
            self.change(value, in: at, to: .decorated(recipe, over: model.scopes[at].entries[value]))
        case .make(let role):
            scopes.append(.empty("\(scopes.count)", role: role?.scopeRole, parent: scope))
            model.scopes.append(Model.Scope(parent: at, role: role))
        case .read(let inner, let value):
            // Of the scope itself, or of one that was made in the closure.
            let reader = inner.flatMap { $0 < scopes.count ? scopes[$0] : nil } ?? scope
            let number = inner.flatMap { $0 < scopes.count ? $0 : nil } ?? at
            let found = try? reader.value(for: { _ in Numbered.all[value] })
            try compare(found, with: model.read(value, in: number), "\(number).\(value) in an update")
        case .readElsewhere, .fail: break
        }
    }

    /// What an update has done, with the model of what others are given meanwhile.
    private struct Update {
        var before: Model
        let at: Int
        let renewed: [Int]
        var isRefused = false
        var hasFailed = false
        var hasRead = false
        var hasReadElsewhere = false
        var decided: Set<Int> = []
        /// What has begun both in the update and for others.
        var begunTwice: Set<Int> = []
    }

    private mutating func apply(_ change: Program.Change, _ update: inout Update, _ scope: EnvironmentScope)
        throws(Difference)
    {
        switch change {
        case .remove(let value):
            update.isRefused = true
            scope.removeValue(for: { _ in Numbered.all[value] })
        case .decorate(let value, _):
            update.isRefused = true
            scope.decorate({ _ in Numbered.all[value] }) { inherited, _ in inherited }
        case .fail: update.hasFailed = true
        case .readElsewhere(let value):
            guard let other = self.scope(update.at) else { return }
            update.hasReadElsewhere = true
            // Is emptied, because the thread may hold its closure for longer than that runs.
            let asking = Box<EnvironmentScope?>(other)
            let found = elsewhere { [world = Numbered.world] in
                defer { asking.value = nil }
                return Numbered.$world.withValue(world) {
                    try? asking.value?.value(for: { _ in Numbered.all[value] })
                }
            }
            let known = update.before.begun.value
            try compare(found, with: update.before.read(value, in: update.at), "\(update.at).\(value) beside an update")
            for (place, begun) in update.before.begun.value
            where known[place] == nil && !(place.scope == update.at && update.decided.contains(place.value)) {
                // That stays as others have it, unless it is to be built anew.
                if model.begun.value[place] != nil, !update.renewed.contains(place.value) {
                    update.begunTwice.insert(place.value)
                }
                model.begun.update { $0[place] = begun }
            }
        default:
            if case .read = change { update.hasRead = true }
            if let value = change.decided { update.decided.insert(value) }
            try apply(change, update.at, scope)
            // What has begun further out or in has begun for all.
            for (place, begun) in model.begun.value where place.scope != update.at {
                update.before.begun.update { $0[place] = begun }
            }
        }
    }

    /// R18: all of the changes are made, or none; what the scope kept is built first, or else what fails of it refuses them.
    mutating func update(_ at: Int, _ changes: [Program.Change], _ renewed: [Int]) throws(Difference) {
        guard let scope = scope(at), !isClosed(at) else { return }
        func local(_ value: Int) -> Numeral? { scope.localValue { _ in Numbered.all[value] } }
        let before = model.copy()
        let kept = (0..<Numbered.count).map { before.copy().read($0, in: at)?.home?.scope == at ? local($0) : nil }
        var update = Update(before: before, at: at, renewed: renewed)
        model = model.copy()
        var (difference, isMade, refusal) = (Difference?.none, false, "")
        let change: (EnvironmentScope) throws -> Void = { staging in
            for change in changes where difference == nil && !update.hasFailed {
                do throws(Difference) { try self.apply(change, &update, staging) } catch { difference = error }
            }
            if update.hasFailed { throw RecipeFailed(parts: []) }
        }
        do {
            if let value = renewed.first {
                try scope.update(rebuilding: { _ in Numbered.all[value] }, change: change)
            } else {
                try scope.update(change)
            }
            isMade = true
        } catch { refusal = "\(error)" }
        if let difference { throw difference }
        let decided = update.decided
        if !update.begunTwice.isSubset(of: decided) { update.isRefused = true }
        let isUnkept = renewed.contains {
            !decided.contains($0) && (kept[$0] == nil || update.before.isSet($0, for: at))
        }
        let mayBeKept = update.hasRead || update.hasReadElsewhere
        if isMade, update.isRefused || update.hasFailed || isUnkept && !mayBeKept {
            throw Difference(text: "an update of \(at) is made, though it may not be")
        }
        if !isMade {
            // What is to be built anew may fail although it has begun.
            let anew = model.copy()
            for value in renewed { anew.begun.value[ValueInScope(scope: at, value: value)] = nil }
            let failed = (0..<Numbered.count).filter { anew.copy().read($0, in: at) == nil }
            // What the closure reads first is kept then.
            let mayFail = failed.contains { mayBeKept || kept[$0] != nil || renewed.contains($0) }
            if !mayFail, !update.isRefused, !update.hasFailed, !isUnkept {
                throw Difference(text: "an update of \(at) is refused, though nothing fails that was kept: \(refusal)")
            }
            // What was made in the closure lies below the scope all the same.
            update.before.scopes += model.scopes[update.before.scopes.count...]
            model = update.before
            // Who has failed may have begun something further out before.
            return try noteBegun(in: model.chain(at).scopes.dropFirst())
        }
        for value in renewed where Numbered.once[value] != nil && !decided.contains(value) {
            end(value, in: at)
            // What has begun while the closure ran is built anew, too.
            if kept[value] == nil, keptValue(value, in: at) != nil { _ = model.read(value, in: at) }
        }
        let isUnchanged = decided.isEmpty && renewed.isEmpty
        for (value, old) in kept.enumerated() {
            guard let old, model.read(value, in: at)?.home == ValueInScope(scope: at, value: value),
                !hasMovedPolicies
            else { continue }
            guard let new = local(value) else { throw Difference(text: "\(at).\(value) is not built first") }
            if renewed.contains(value), new === old { throw Difference(text: "\(at).\(value) is not built anew") }
            if isUnchanged, new !== old {
                throw Difference(text: "\(at).\(value) is built anew, though nothing has changed")
            }
        }
        for value in decided { begun[ValueInScope(scope: at, value: value)] = nil }
        // What was read meanwhile was replaced like all that the scope kept.
        if mayBeKept { try noteBegun(in: model.chain(at).scopes) }
    }

    /// Notes what an update has begun that the model does not know of.
    private mutating func noteBegun(in scopes: some Sequence<Int>) throws(Difference) {
        for scope in scopes where !model.scopes[scope].isClosed {
            for value in Numbered.once.keys.sorted() {
                let place = ValueInScope(scope: scope, value: value)
                guard model.begun.value[place] == nil, keptValue(value, in: scope) != nil else { continue }
                if model.read(value, in: scope)?.home != place { throw Difference(text: "\(place) has begun") }
            }
        }
    }
}

extension Model {
    /// Whether a value is set, so that nothing would be built in the place of what stays.
    fileprivate func isSet(_ value: Int, for at: Int) -> Bool {
        let entry = chain(at).scopes.lazy.compactMap { self.scopes[$0].entries[value] }.first
        return if case .set = entry { true } else { false }
    }
}

extension Program.Change {
    /// The value that is another one by it.
    fileprivate var decided: Int? {
        switch self {
        case .set(let value, _), .provide(let value, _): value
        default: nil
        }
    }
}
