/// Decides which references must not own the scope that they are bound to, because the scope owns them.
///
/// The decision is made where they are bound, or where their scope comes to lie elsewhere: for a reference of an object
/// that is a value of the scope or its chain, and for one in a value type that is stored there. It reads no stored
/// property of an object. The scope and its ancestors record which objects were bound, so that the references of an
/// object that is stored later stop owning the scope then.
enum Ownership {
    /// Binds references to a scope.
    static func bind(_ found: [BoundReferences.Bound], to scope: EnvironmentScope, isOwning: Bool) {
        for found in found { found.reference.bind(to: scope, isOwning: isOwning) }
        if isOwning, scope.node != nil, !found.isEmpty { note(found, outwardsFrom: scope) }
    }

    /// Notes, for the scopes further out, what was bound to a scope or one below it that has come to lie below another one.
    static func noteMoved(_ scope: EnvironmentScope, below outer: EnvironmentScope?) {
        guard let outer, let bound = scope.rare?.state.withLock({ $0.isBound ? $0.bound : nil }) else { return }
        let alive = bound.alive
        if !alive.isEmpty { note(alive, outwardsFrom: outer) }
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
        for here in chain { disownReferences(in: here) }  // fault: owned-when-bound
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
        disown(references(of: value, rare), because: scope)  // fault: owned-when-stored
    }

    /// Makes the references in the values of a scope stop owning that scope and those below it.
    private static func disownReferences(in scope: EnvironmentScope) {
        guard let node = scope.node, let rare = scope.rare else { return }
        var withoutReferences: Set<UInt64> = []
        for (value, version) in node.valuesToSearch {
            let found = references(of: value, rare)
            if found.isEmpty, object(itself: value) == nil { withoutReferences.insert(version) }
            disown(found, because: scope)
        }
        if !withoutReferences.isEmpty { node.noteWithoutReferences(withoutReferences) }
    }

    private static func disown(_ references: [any ScopedReference], because scope: EnvironmentScope) {
        for reference in references {
            reference.disown { bound in bound.chain.contains { $0 === scope } }
        }
    }

    /// The references that belong to a value: an object's that were bound, and those in the layers of a value type.
    private static func references(of value: Any, _ rare: Rare) -> [any ScopedReference] {
        guard let object = object(itself: value) else { return referencesInLayers(of: value) }
        if let reference = object as? any ScopedReference { return [reference] }  // fault: reference-stored
        return rare.state.withLock { $0.bound.references(of: object) }
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

extension NodePointer {
    /// The values that may have references, with their versions.
    fileprivate var valuesToSearch: [(value: Any, version: UInt64)] {
        let line = startReading()
        defer { finishReading(line) }
        var values: [(Any, UInt64)] = []
        forEachSlot { slot in
            guard let cell = slot.pointee.cell, !cell.lacksReferences else { return }
            values.append((cell.anyValue, cell.version))
        }
        return values
    }

    /// Notes that the values of these versions have none, so that the next binding does not look through them again.
    fileprivate func noteWithoutReferences(_ versions: Set<UInt64>) {
        let line = startReading()
        defer { finishReading(line) }
        forEachSlot { slot in
            if let cell = slot.pointee.cell, versions.contains(cell.version) { cell.noteLacksReferences() }
        }
    }
}

extension EnvironmentScope {
    /// The values that are set or kept here; the scope has a node.
    var storedValues: [Any] {
        guard let node else { return [] }
        let line = node.startReading()
        defer { node.finishReading(line) }
        var values: [Any] = []
        node.forEachSlot { slot in if let cell = slot.pointee.cell { values.append(cell.valueForOverview()) } }
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
