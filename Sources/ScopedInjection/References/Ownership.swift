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
            if isOwned { found.reference.bind(to: scope, isOwning: false) }  // fault: owned-when-bound
        }
    }

    private static func note(_ found: [Found], in scope: EnvironmentScope) {
        let rare = scope.makeRare()
        let bound = rare.state.withLock { state -> [ObjectIdentifier: Rare.Bound]? in
            state.isBound = true
            for found in found {
                // A reference may be the stored value itself.
                let owner = found.owner ?? found.reference
                let weak = WeakReference(reference: found.reference)
                let identity = ObjectIdentifier(owner)
                // The caller keeps the owner alive, so reading the weak reference releases nothing.
                if let known = state.bound[identity], known.owner.object === owner {
                    state.bound[identity]?.references.append(weak)
                } else {
                    state.bound[identity] = Rare.Bound(owner: Rare.Owner(owner), references: [weak])
                }
            }
            return state.bound.count > 2 * state.boundAfterSweep + 16 ? state.bound : nil
        }
        if let bound { sweep(bound, rare) }
    }

    /// Forgets the objects that are gone.
    private static func sweep(_ bound: [ObjectIdentifier: Rare.Bound], _ rare: Rare) {
        // Under no lock: reading a weak reference may retain the object last, and so release it here.
        let gone = bound.filter { $0.value.owner.object == nil }
        rare.state.withLock { state in
            for (identity, gone) in gone where state.bound[identity]?.owner === gone.owner {
                state.bound[identity] = nil
            }
            state.boundAfterSweep = state.bound.count
        }
    }

    /// Makes the references in a value that was just stored stop owning a scope that would keep the value alive.
    static func noteStored<Value>(_ value: Value, in scope: EnvironmentScope, _ rare: Rare) {
        guard rare.state.withLock({ $0.isBound }), !_isPOD(Value.self) else { return }
        let references: [any ScopedReference]
        if let object = object(itself: value) {
            references = rare.state.withLock { state in
                guard let known = state.bound[ObjectIdentifier(object)], known.owner.object === object else {
                    return []
                }
                return known.references.compactMap(\.reference)
            }
        } else {
            references = referencesInLayers(of: value)
        }
        for reference in references {
            guard let bound = reference.ownedScope, bound.chain.contains(where: { $0 === scope }) else { continue }
            reference.bind(to: bound, isOwning: false)  // fault: owned-when-stored
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

    /// Tells the test's watch and the bound references that a value was set.
    @inline(never)
    func noteStored<Value>(_ value: Value, _ key: UnsafeRawPointer) {
        guard let rare else { return }
        rare.watch?.noteSet(.at(key), in: self)
        Ownership.noteStored(value, in: self, rare)
    }
}
