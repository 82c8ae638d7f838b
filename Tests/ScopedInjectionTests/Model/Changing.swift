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
        case .remove(let value):
            scope.removeValue(for: { _ in Numbered.all[value] })
            self.change(value, in: at, to: nil)
        case .provide(let value, let recipe):
            scope.provide({ _ in Numbered.all[value] }) { try Numbered.build(value, recipe, $0) }
            setBase(.provided(recipe), of: value, in: at)
        case .decorate(let value, let recipe):
            scope.decorate({ _ in Numbered.all[value] }) { try Numbered.build(value, recipe, $1, over: $0) }
            self.change(value, in: at, to: .decorated(recipe, over: model.scopes[at].entries[value]))
        case .read(let value):
            let found = try? scope.value(for: { _ in Numbered.all[value] })
            try compare(found, with: model.read(value, in: at), "\(at).\(value) in an update")
        }
    }

    private mutating func setBase(_ base: Model.Entry, of value: Int, in scope: Int) {
        change(value, in: scope, to: model.scopes[scope].entries[value]?.replaced(by: base) ?? base)
    }

    /// R18: all of the changes are made, or none; what the scope kept is built first, or else what fails of it refuses them.
    mutating func update(_ at: Int, _ changes: [Program.Change], _ renewed: [Int]) throws(Difference) {
        guard let scope = scope(at) else { return }
        let before = model
        func local(_ value: Int) -> Numeral? { scope.localValue { _ in Numbered.all[value] } }
        let kept = (0..<Numbered.count).map { before.read($0, in: at)?.home?.scope == at ? local($0) : nil }
        var difference: Difference?
        var isMade = false
        let change: (EnvironmentScope) -> Void = { staging in
            for change in changes where difference == nil {
                do throws(Difference) { try self.apply(change, at, staging) } catch { difference = error }
            }
        }
        do {
            if let value = renewed.first {
                try scope.update(rebuilding: { _ in Numbered.all[value] }, change: change)
            } else {
                try scope.update(change)
            }
            isMade = true
        } catch {}
        if let difference { throw difference }
        if !isMade {
            let failed = (0..<Numbered.count).filter { model.read($0, in: at) == nil }
            // What the closure reads first is kept then.
            let reads = changes.contains { if case .read = $0 { true } else { false } }
            if !failed.contains(where: { reads || kept[$0] != nil || renewed.contains($0) }) {
                throw Difference(text: "an update of \(at) is refused, though nothing fails that was kept")
            }
            model = before
            return
        }
        for (value, old) in kept.enumerated() {
            guard let old, model.read(value, in: at)?.home == ValueInScope(scope: at, value: value),
                !hasMovedPolicies
            else { continue }
            guard let new = local(value) else { throw Difference(text: "\(at).\(value) is not built first") }
            if renewed.contains(value), new === old { throw Difference(text: "\(at).\(value) is not built anew") }
        }
    }
}
