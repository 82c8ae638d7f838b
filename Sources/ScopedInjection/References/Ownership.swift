/// Decides which references must not own the scope that they are bound to, because the scope owns them.
///
/// The decision is made where they are bound, or where their scope is given another parent: for a reference of an object that is a value of the scope or its chain,
/// and for one in a value type that is stored there. It reads no stored property of an object. The scope and its
/// ancestors record which objects were bound, so that the references of an object that is stored later stop owning
/// the scope then.
enum Ownership {
    /// Binds references to a scope.
    static func bind(_ found: [BoundReferences.Bound], to scope: EnvironmentScope, isOwning: Bool) {
        for found in found { found.reference.bind(to: scope, isOwning: isOwning) }
        if isOwning, scope.node != nil, !found.isEmpty { note(found, outwardsFrom: scope) }
    }

    /// Notes, for the scopes further out, what was bound to a scope that was just given another parent.
    static func noteMoved(_ scope: EnvironmentScope) {
        guard let bound = scope.rare?.state.withLock({ $0.isBound ? $0.bound : nil }) else { return }
        guard let parent = scope.nextScope else { return }
        note(bound.alive, outwardsFrom: parent)  // fault: moved-bound
    }

    /// Notes what was bound, and makes the references in the values of a scope and its chain stop owning it.
    private static func note(_ bound: [BoundReferences.Bound], outwardsFrom scope: EnvironmentScope) {
        var chain: [EnvironmentScope] = []
        var next: EnvironmentScope? = scope
        // Noted before the next scope is looked for, and in all before values are, so that a scope that is moved
        // meanwhile, and a value that is stored meanwhile, are not missed.
        while let here = next {
            note(bound, in: here)
            chain.append(here)
            next = here.nextScope
        }
        for here in chain { disownReferences(in: here.storedValues, of: here) }  // fault: owned-when-bound
    }

    private static func note(_ bound: [BoundReferences.Bound], in scope: EnvironmentScope) {
        let rare = scope.makeRare()
        let grown = rare.state.withLock { state -> BoundReferences? in
            state.isBound = true
            for bound in bound { state.bound.insert(bound.reference, of: bound.owner) }
            return state.bound.isToSweep ? state.bound : nil
        }
        guard let gone = grown?.gone else { return }
        rare.state.withLock { $0.bound.forget(gone) }
    }

    /// Makes the references in a value that was just stored stop owning a scope that would keep the value alive.
    static func noteStored<Value>(_ value: Value, in scope: EnvironmentScope, _ rare: Rare) {
        guard rare.state.withLock({ $0.isBound }), !_isPOD(Value.self) else { return }
        disownReferences(in: [value], of: scope)  // fault: owned-when-stored
    }

    /// Makes the references in values of a scope stop owning that scope and those below it.
    private static func disownReferences(in values: [Any], of scope: EnvironmentScope) {
        guard let rare = scope.rare else { return }
        let objects = values.compactMap { object(itself: $0) }
        let ofObjects = rare.state.withLock { state in objects.flatMap { state.bound.references(of: $0) } }
        let ofOthers = values.flatMap { object(itself: $0) == nil ? referencesInLayers(of: $0) : [] }
        for reference in ofObjects + ofOthers {
            reference.disown { bound in bound.chain.contains { $0 === scope } }
        }
    }

    /// The object in a value, optional or not; nil for a value type.
    private static func object(itself value: Any) -> AnyObject? {
        var value = value
        while let optional = value as? any OptionalValue {
            guard let wrapped = optional.wrapped else { return nil }
            value = wrapped
        }
        return type(of: value) is AnyClass ? value as AnyObject : nil
    }

    /// The references in the layers of a value type.
    private static func referencesInLayers(of value: Any) -> [any ScopedReference] {
        var walk = ReflectionWalk(isNested: true)
        walk.isOfValueTypesOnly = true
        var found: [any ScopedReference] = []
        walk.visit([value]) { reference, _ in
            found.append(reference)
            return []
        }
        return found
    }
}

private protocol OptionalValue { var wrapped: Any? { get } }

extension Optional: OptionalValue {
    fileprivate var wrapped: Any? { map { $0 } }
}

extension EnvironmentScope {
    /// The values that are set or kept here; the scope has a node.
    var storedValues: [Any] {
        guard let node else { return [] }
        let line = node.startReading()
        defer { node.finishReading(line) }
        var values: [Any] = []
        node.forEachSlot { slot in if let cell = slot.pointee.cell { values.append(cell.anyValue) } }
        return values
    }

    /// Tells the bound references that a value is kept.
    func noteKept<Value>(_ value: Value) {
        if let rare { Ownership.noteStored(value, in: self, rare) }  // fault: owned-when-kept
    }

    /// Tells the test's watch and the bound references that a value was set.
    @inline(never)
    func noteStored<Value>(_ value: Value, _ key: UnsafeRawPointer) {
        guard let rare else { return }
        rare.watch?.noteSet(.at(key), in: self)
        Ownership.noteStored(value, in: self, rare)
    }
}
