/// Decides which references must not own the scope that they are bound to, because the scope owns them.
///
/// The decision is made where they are bound: for a reference of an object that is a value of the scope or its chain,
/// and for one in a value type that is stored there. It reads no stored property of an object. The scope and its
/// ancestors record which objects were bound, so that the references of an object that is stored later stop owning
/// the scope then.
enum Ownership {
    struct Found {
        let reference: any ScopedReference
        /// The object whose stored property it is; nil for a property of a value type.
        let owner: AnyObject?
    }

    static func bind(_ found: [Found], to scope: EnvironmentScope, isOwning: Bool) {
        for found in found { found.reference.bind(to: scope, isOwning: isOwning) }
        guard isOwning, scope.node != nil else { return }
        // Recorded before the values are searched, so that a value that is stored meanwhile is not missed.
        let chain = scope.chain
        for here in chain { note(found, in: here) }
        var objects: Set<ObjectIdentifier> = []
        var references: Set<ObjectIdentifier> = []
        for value in chain.flatMap(\.storedValues) {
            if let object = object(itself: value) {
                objects.insert(ObjectIdentifier(object))
            } else {
                for reference in referencesInLayers(of: value) { references.insert(ObjectIdentifier(reference)) }
            }
        }
        for found in found {
            let reference = ObjectIdentifier(found.reference)
            let isOwned =
                objects.contains(found.owner.map { ObjectIdentifier($0) } ?? reference)
                || references.contains(reference)
            if isOwned { found.reference.disown { $0 === scope } }  // fault: owned-when-bound
        }
    }

    private static func note(_ found: [Found], in scope: EnvironmentScope) {
        let rare = scope.makeRare()
        let grown = rare.state.withLock { state -> BoundReferences? in
            state.isBound = true
            for found in found {
                // A reference may be the stored value itself.
                state.bound.insert(found.reference, of: found.owner ?? found.reference)
            }
            return state.bound.isToSweep ? state.bound : nil
        }
        guard let gone = grown?.gone else { return }
        rare.state.withLock { $0.bound.forget(gone) }
    }

    /// Makes the references in a value that was just stored stop owning a scope that would keep the value alive.
    static func noteStored<Value>(_ value: Value, in scope: EnvironmentScope, _ rare: Rare) {
        guard rare.state.withLock({ $0.isBound }), !_isPOD(Value.self) else { return }
        let references: [any ScopedReference]
        if let object = object(itself: value) {
            references = rare.state.withLock { $0.bound.references(of: object) }
        } else {
            references = referencesInLayers(of: value)
        }
        for reference in references {
            reference.disown { bound in bound.chain.contains { $0 === scope } }  // fault: owned-when-stored
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
