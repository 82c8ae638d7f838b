import Synchronization

/// Watches one scope, and what lies below it, on behalf of a test.
///
/// It is told where reads search and build and where values are set; a read whose value is known takes no notice of it.
package final class ScopeWatch: Sendable {
    /// Something the test has to know of.
    package enum Event: Sendable {
        /// A read that cannot throw needed a default that is forbidden, and is given it.
        case forbiddenDefault(ScopeError)
        /// A read that cannot throw has no value, so the program ends next.
        case endOfProgram(ScopeError)
        /// A value was read after the end.
        case lateRead(LateRead)
    }

    /// A read through the scope, or one below it, after the end.
    package struct LateRead: Sendable {
        package let key: String
        package let valueType: String
        package let searchedScopes: [String]
        package let location: ScopeError.Location?
    }

    /// What becomes of values that are set or provided in the scope.
    package enum Settings: Sendable {
        /// They should be read before the end.
        case expected
        /// They need not be read.
        case optional
    }

    /// What is left to say when the watching ends.
    package struct Ending: Sendable {
        /// What nobody would take before.
        package let events: [Event]
        /// The keys of values that should have been read.
        package let unreadKeys: [String]
    }

    /// What outlives the scope's last owner.
    package struct Survivors: Sendable {
        /// The scope's name; nil where the scope is gone.
        package var scope: String?
        /// How many hold the scope in force: tasks, closures, references, scopes below.
        package var holderCount = 0
        /// Scopes that were made below, by name.
        package var children: [String] = []
        /// References that were bound to the scope, or one below.
        package var references: [ScopeError.Location] = []

        package var isEmpty: Bool { scope == nil && children.isEmpty && references.isEmpty }
    }

    private let handler: @Sendable (_ event: Event, _ isLast: Bool) -> Bool
    private let root = Atomic<UInt>(0)
    private let over = Atomic(false)
    private let state = Guarded(State())
    private let children = WeakList<WeakScope> { $0.scope == nil }
    private let references = WeakList<WeakReference> { $0.reference == nil }

    private struct State: Sendable {
        var settings: Settings?
        var expected: [ValueKey] = []
        /// By the addresses of their keys.
        var read: Set<UInt> = []
        var allowedDefaults: Set<UInt> = []
        /// Keys that were read too late, with where.
        var lateReads: Set<String> = []
        var undelivered: [Event] = []
        var watched = WeakScope()
    }

    private struct WeakScope: Sendable {
        weak var scope: EnvironmentScope?
    }

    /// - Parameter handler: Is given each event, on the thread where it arises, and says whether it took it. What it
    ///   did not take is part of the ending, or offered once more as the last chance where the end has passed.
    package init(_ handler: @escaping @Sendable (_ event: Event, _ isLast: Bool) -> Bool) {
        self.handler = handler
    }

    // MARK: The watched scope

    /// Makes the scope to watch.
    package func makeScope(
        _ name: String?,
        parent: EnvironmentScope?,
        defaults: DefaultsPolicy?
    ) -> EnvironmentScope {
        let scope = EnvironmentScope(
            name: name,
            link: Links.link(to: parent, Lines.ofThread()),
            defaults: defaults,
            watch: self
        )
        root.store(Self.address(of: scope), ordering: .releasing)
        state.withLock { $0.watched.scope = scope }
        return scope
    }

    /// The watched scope, while it is alive.
    package var scope: EnvironmentScope? { state.withLock { $0.watched }.scope }

    func watches(_ scope: EnvironmentScope) -> Bool { root.load(ordering: .acquiring) == Self.address(of: scope) }

    private static func address(of scope: EnvironmentScope) -> UInt { UInt(bitPattern: ObjectIdentifier(scope)) }

    // MARK: Values that should be read

    /// Says what becomes of values that are set from now on; nil for nothing.
    package func note(_ settings: Settings?) { state.withLock { $0.settings = settings } }

    /// Notes that a value was set or provided.
    func noteSet(_ key: ValueKey, in scope: EnvironmentScope) {
        guard watches(scope) else { return }
        state.withLock { state in
            guard let settings = state.settings else { return }
            state.expected.removeAll { $0 === key }
            state.read.remove(key.number)
            if settings == .expected { state.expected.append(key) }
        }
    }

    /// Notes that a value was read.
    func noteRead(of keys: [ValueKey]) { state.withLock { $0.read.formUnion(keys.map(\.base.number)) } }

    // MARK: Reads that cannot throw

    /// Whether a default is given although it is forbidden, because its first read was reported.
    func allowsDefault(of key: ValueKey) -> Bool {
        state.withLock { $0.allowedDefaults.contains(key.base.number) }
    }

    /// Reports the error of a read that cannot throw; true where another attempt may succeed.
    func takes(_ error: ScopeError, triedBefore: inout Set<UnsafeRawPointer>) -> Bool {
        guard error.code == .defaultForbidden, let key = error.subject, triedBefore.insert(key.address).inserted else {
            deliver(.endOfProgram(error))
            return false
        }
        let isNew = state.withLock { $0.allowedDefaults.insert(key.base.number).inserted }
        if isNew { deliver(.forbiddenDefault(error)) }
        return true
    }

    private func deliver(_ event: Event) {
        if handler(event, isOver) { return }
        let isLate = state.withLock { state in
            if !isOver { state.undelivered.append(event) }
            return isOver
        }
        if isLate { _ = handler(event, true) }
    }

    // MARK: The end

    /// Whether the scope should no longer be read.
    var isOver: Bool { over.load(ordering: .acquiring) }

    /// Ends the watching; from now on every read is reported.
    package func end() -> Ending {
        state.withLock { state -> Ending in
            over.store(true, ordering: .releasing)
            let read = state.read
            defer { state.undelivered = [] }
            return Ending(
                events: state.undelivered,
                unreadKeys: state.expected.filter { !read.contains($0.number) }.map(\.name)
            )
        }
    }

    /// Notes a read after the end, by a reference that stands at `location`.
    func noteLateRead(of key: ValueKey, in scope: EnvironmentScope, at location: ScopeError.Location?) {
        let read = LateRead(
            key: key.name,
            valueType: key.valueName,
            searchedScopes: scope.chainNames,
            location: location
        )
        let place = "\(read.key) \(read.location?.description ?? "")"
        if state.withLock({ $0.lateReads.insert(place).inserted }) { deliver(.lateRead(read)) }
    }

    // MARK: Survivors

    /// Notes a scope that was made below.
    func noteChild(_ scope: EnvironmentScope) { children.append(WeakScope(scope: scope)) }

    /// Notes a reference that was bound to the scope, or one below.
    func noteReference(_ reference: any ScopedReference) { references.append(WeakReference(reference: reference)) }

    /// What is still alive; to be asked when the scope's owner has let go of it.
    package var survivors: Survivors {
        var survivors = Survivors()
        if let scope {
            survivors.scope = scope.displayName
            survivors.holderCount = scope.holderCount
        }
        survivors.children = children.all.compactMap(\.scope).filter { !watches($0) }.map(\.displayName)
        survivors.references = references.all.compactMap { weak in
            guard let reference = weak.reference, reference.ownedScope?.watchOfChildren === self else { return nil }
            return reference.location
        }
        return survivors
    }
}

extension ValueKey {
    fileprivate var number: UInt { UInt(bitPattern: address) }
}

extension EnvironmentScope {
    /// The watch that scopes made below this one are under.
    var watchOfChildren: ScopeWatch? { rare?.watch }

    /// The watch of the nearest scope that is watched.
    var watchInForce: ScopeWatch? {
        for scope in chain {
            if let watch = scope.watchOfChildren, watch.watches(scope) { return watch }
        }
        return nil
    }
}
