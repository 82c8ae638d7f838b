import Synchronization

/// Which references lie in values that a scope owns, and so must not keep that scope alive.
struct Ownership {
    private var references: Set<ObjectIdentifier> = []
    private var scopes: Set<ObjectIdentifier> = []

    func contains(_ reference: some ScopedReference) -> Bool { references.contains(ObjectIdentifier(reference)) }

    /// All that keeping a scope and its chain alive keeps alive, as far as reflection can see it now.
    static func owned(by scope: EnvironmentScope) -> Ownership {
        var ownership = Ownership()
        guard case .scope = scope.role else { return ownership }
        ownership.visit(values: ownership.enter(scope.chain))
        return ownership
    }

    /// Lets the references in a value that was just stored go of every scope that would keep the value alive.
    ///
    /// Called after storing, as binding a reference looks after binding: of two threads that do both at once,
    /// one sees what the other did.
    static func releaseReferences<Value>(in value: Value, storedIn scope: EnvironmentScope) {
        guard isInUse, !_isPOD(Value.self), Value.self != String.self, mayBeOwned(scope) else { return }
        releaseReferences(inAll: [value], storedIn: scope)
    }

    /// Does the same for all values of a chain, which has changed.
    static func releaseReferences(inValuesOf chain: [EnvironmentScope]) {
        guard isInUse else { return }
        for scope in chain { releaseReferences(inAll: scope.storedValues, storedIn: scope) }
    }

    private static func releaseReferences(inAll values: [Any], storedIn scope: EnvironmentScope) {
        var walk = ReflectionWalk(isNested: true)
        var found: [any ScopedReference] = []
        walk.visit(
            values,
            reference: { reference in
                found.append(reference)
                return []
            },
            scope: { $0.storedValues }
        )
        for reference in found {
            guard let bound = reference.ownedScope else { continue }
            if owned(by: bound).scopes.contains(ObjectIdentifier(scope)) { reference.bind(to: bound, isOwning: false) }
        }
    }

    // MARK: Searching

    private mutating func enter(_ chain: [EnvironmentScope]) -> [Any] {
        chain.flatMap { scopes.insert(ObjectIdentifier($0)).inserted ? $0.storedValues : [] }
    }

    private mutating func visit(values: [Any]) {
        var walk = ReflectionWalk(isNested: true)
        var found: Set<ObjectIdentifier> = []
        var seen = scopes
        walk.visit(
            values,
            reference: { reference in
                found.insert(ObjectIdentifier(reference))
                let chain = reference.ownedScope?.chain ?? []
                return chain.flatMap { seen.insert(ObjectIdentifier($0)).inserted ? $0.storedValues : [] }
            },
            scope: { scope in
                seen.insert(ObjectIdentifier(scope)).inserted ? scope.storedValues : []
            }
        )
        references = found
        scopes = seen
    }

    // MARK: Being in use

    private static let inUse = Atomic(false)

    /// Whether a reference was ever bound to a scope; a program that binds none pays for nothing here.
    static var isInUse: Bool { inUse.load(ordering: .relaxed) }

    static func noteBinding(to scope: EnvironmentScope) {
        guard case .scope = scope.role else { return }
        inUse.store(true, ordering: .sequentiallyConsistent)
        scope.isBound.store(true, ordering: .relaxed)
        for scope in scope.chain { scope.isBoundBelow.store(true, ordering: .sequentiallyConsistent) }
    }

    /// Lets the new ancestors of a scope know of what is bound to it or below.
    static func noteParent(of scope: EnvironmentScope) {
        guard scope.isBound.load(ordering: .relaxed) || scope.isBoundBelow.load(ordering: .relaxed) else { return }
        for scope in scope.chain { scope.isBoundBelow.store(true, ordering: .sequentiallyConsistent) }
    }

    /// Whether a reference bound to the scope, to one below it or to one above it might own what it stores.
    private static func mayBeOwned(_ scope: EnvironmentScope) -> Bool {
        scope.isBoundBelow.load(ordering: .sequentiallyConsistent)
            || scope.chain.contains { $0.isBound.load(ordering: .relaxed) }
    }
}

extension EnvironmentScope {
    /// The values that are set or kept here.
    var storedValues: [Any] {
        look { table in
            var values: [Any] = []
            table.forEachSlot { slot in
                if let cell = slot.own?.takeUnretainedValue() ?? slot.kept { values.append(cell.anyValue) }
            }
            return values
        }
    }
}
