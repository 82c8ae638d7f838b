import ScopedInjection

/// R17: what has begun stays, in the scopes that keep it.
extension Runner {
    func keptValue(_ value: Int, in at: Int) -> Numeral? {
        if case .set = model.scopes.indices.contains(at) ? model.scopes[at].entries[value] : nil { return nil }
        return scope(at)?.localValue { _ in Numbered.all[value] }
    }

    /// Changes what a scope says of a value, by which the value ends there.
    mutating func change(_ value: Int, in scope: Int, to entry: Model.Entry?) {
        model.scopes[scope].entries[value] = entry
        end(value, in: scope)
    }

    /// Notes that a value ends in a scope, if it has begun there.
    mutating func end(_ value: Int, in scope: Int) {
        let place = ValueInScope(scope: scope, value: value)
        begun[place] = nil
        model.begun.update { $0[place] = nil }
    }

    /// Compares what has begun with the model.
    mutating func checkBegun() throws(Difference) {
        for place in placesOfWhatStays {
            let kept = keptValue(place.value, in: place.scope)
            guard let known = model.begun.value[place] else {
                // In a closed scope it is kept, but does not stay.
                if kept != nil, !model.scopes[place.scope].isClosed { throw Difference(text: "\(place) has begun") }
                continue
            }
            guard let kept, kept.number == known.number else {
                let text = kept.map { "\($0.number)" } ?? "gone"
                throw Difference(text: "\(place) is \(text), but \(known.number) has begun")
            }
            if let former = begun[place], ids[place] == known.id, former !== kept {
                throw Difference(text: "\(place) has begun again")
            }
            kept.home.value = place
            (begun[place], ids[place]) = (kept, known.id)
        }
    }

    private var placesOfWhatStays: [ValueInScope] {
        scopes.indices.filter { scopes[$0] != nil }.flatMap { scope in
            Numbered.once.keys.sorted().map { ValueInScope(scope: scope, value: $0) }
        }
    }

    /// Discards all that stays, so that what begins anew is what the model says, whenever that is.
    mutating func endAllThatStays() async {
        for place in model.begun.value.keys where scope(place.scope) != nil {
            await carryOut(Program.Discard(scope: place.scope, value: place.value))
        }
    }

    /// Notes what has begun in reads whose order nobody knows.
    mutating func noteBegun() throws(Difference) {
        let expected = model.copy()
        var noted: [ValueInScope: Model.Begun] = [:]
        for place in placesOfWhatStays where !model.scopes[place.scope].isClosed {
            guard let kept = keptValue(place.value, in: place.scope) else { continue }
            guard let given = expected.read(place.value, in: place.scope), given.home == place else {
                throw Difference(text: "\(place) has begun")
            }
            try compare(kept, with: given, "\(place)")
            noted[place] = expected.begun.value[place]
        }
        model.begun.value = noted
    }
}
