package import ScopedInjection
import Synchronization

/// Watches the scope of a test case, and the scopes below it.
package final class CaseWatch: ScopeWatch {
    /// What the test has to be told of while it runs, or after it.
    package enum Event: Sendable {
        /// A read that cannot throw needed a forbidden default, and was given it.
        case forbiddenDefault(ScopeError)
        /// A value was read after the end of the case.
        case lateRead(LateRead)
    }

    /// A read after the end of the case, through its scope or one below.
    package struct LateRead: Sendable {
        package let key: String
        package let valueType: String
        package let searchedScopes: [String]
        package let location: ScopeError.Location?
    }

    /// Whether the values that are set or provided in the scope should be read.
    package enum Settings: Sendable {
        /// They should be read before the end.
        case expected
        /// They need not be read.
        case optional
    }

    /// What is left to report when the case ends.
    package struct Ending: Sendable {
        /// The events that nobody has taken.
        package let events: [Event]
        /// The names of the values that should have been read, and were not.
        package let unreadKeys: [String]
    }

    /// What is still alive when the case has let go of its scope.
    package struct Survivors: Sendable {
        /// The scope's name; nil where the scope is gone.
        package var scope: String?
        /// How many tasks, closures, references and scopes below keep the scope alive.
        package var holderCount = 0
        /// The names of the scopes that were made below it.
        package var children: [String] = []
        /// The places of the references that were bound to the scope, or to one below.
        package var references: [ScopeError.Location] = []

        package var isEmpty: Bool { scope == nil && children.isEmpty && references.isEmpty }
    }

    private let handler: @Sendable (_ event: Event, _ isLast: Bool) -> Bool
    private let deadEnd: @Sendable (ScopeError, CaseWatch) -> Void
    private let root = Atomic<UInt>(0)
    private let ending = Atomic(false)
    private let over = Atomic(false)
    private let state: Guarded<State>
    private let children = WeakList<WeakScope> { $0.scope }
    private let references = WeakList<WeakReference> { $0.reference }

    private struct State: Sendable {
        var settings: Settings?
        var expected: [ValueKey] = []
        var read: Set<ValueKey> = []
        var allowedDefaults: Set<ValueKey> = []
        var reportedDefaults: Set<ValueKey> = []
        /// The names of the values that were read after the end, each with its place.
        var lateReads: Set<String> = []
        var undelivered: [Event] = []
        var watched = WeakScope()
    }

    private struct WeakScope: Sendable {
        weak var scope: EnvironmentScope?
    }

    private struct WeakReference: Sendable {
        weak var reference: (any WatchedReference)?
    }

    /// - Parameters:
    ///   - allowed: Values whose defaults may be used.
    ///   - deadEnd: Called where a read has nothing to return. If it returns, the program ends.
    ///   - handler: Given each event on the thread where it arises. Says whether it took the event. An event that it
    ///     did not take becomes part of the ending. If the end came meanwhile, it is offered again, as the last chance.
    package init(
        allowing allowed: [ValueKey] = [],
        deadEnd: @escaping @Sendable (ScopeError, CaseWatch) -> Void = { _, _ in },
        _ handler: @escaping @Sendable (_ event: Event, _ isLast: Bool) -> Bool
    ) {
        self.handler = handler
        self.deadEnd = deadEnd
        state = Guarded(State(allowedDefaults: Set(allowed.map(\.base))))
    }

    // MARK: The watched scope

    /// Makes the scope to watch.
    package func makeScope(_ name: String?, parent: EnvironmentScope?, defaults: DefaultsPolicy?) -> EnvironmentScope {
        let scope = EnvironmentScope(name, parent: parent, defaults: defaults, watchedBy: self)
        root.store(Self.address(of: scope), ordering: .releasing)
        state.withLock { $0.watched.scope = scope }
        return scope
    }

    /// The watched scope, while it is alive.
    package var scope: EnvironmentScope? { state.withLock { $0.watched }.scope }

    package func watches(_ scope: EnvironmentScope) -> Bool {
        root.load(ordering: .acquiring) == Self.address(of: scope)
    }

    private static func address(of scope: EnvironmentScope) -> UInt { UInt(bitPattern: ObjectIdentifier(scope)) }

    package func noteReplacement(by scope: EnvironmentScope) {}

    // MARK: Values that should be read

    /// Says whether the values that are set from now on should be read; nil to leave what is known of them as it is.
    package func note(_ settings: Settings?) { state.withLock { $0.settings = settings } }

    package func noteSet(_ value: ValueKey, in scope: EnvironmentScope) {
        guard watches(scope) else { return }
        state.withLock { state in
            guard let settings = state.settings else { return }
            state.expected.removeAll { $0 == value }
            state.read.remove(value)
            if settings == .expected { state.expected.append(value) }
        }
    }

    package func noteRemoved(_ value: ValueKey?, from scope: EnvironmentScope) {
        guard watches(scope) else { return }
        state.withLock { state in state.expected.removeAll { value == nil || $0 == value } }
    }

    package func noteRead(_ read: WatchedRead) {
        let values = read.values(reaching: self)
        state.withLock { $0.read.formUnion(values) }
        if isOver, !read.isInBuilder { noteLate(read) }
    }

    // MARK: Reads that cannot throw

    package func allowsDefault(of value: ValueKey) -> Bool {
        state.withLock { $0.allowedDefaults.contains(value.base) }
    }

    package func retries(after error: ScopeError, _ before: inout [ScopeError]) -> Bool {
        guard error.code == .defaultForbidden, let value = error.forbidden?.base,
            !before.contains(where: { $0.forbidden?.base == value })
        else {
            // The read has been given the other defaults, though it got no further.
            let missing = (error.forbidden ?? error.subject)?.base
            noteGiven(after: before.filter { $0.forbidden?.base != missing })
            deadEnd(error, self)
            return false
        }
        before.append(error)
        state.withLock { _ = $0.allowedDefaults.insert(value) }
        return true
    }

    package func noteGiven(after errors: [ScopeError]) {
        for error in errors {
            guard let value = error.forbidden?.base else { continue }
            let isNew = state.withLock { $0.reportedDefaults.insert(value).inserted }
            if isNew { deliver(.forbiddenDefault(error)) }
        }
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

    /// Says that the scope is about to be closed.
    package func startEnding() { ending.store(true, ordering: .releasing) }

    package var isEnding: Bool { ending.load(ordering: .acquiring) || isOver }

    private var isOver: Bool { over.load(ordering: .acquiring) }

    /// Notes that the case has ended.
    ///
    /// From now on every read is reported.
    package func end() -> Ending {
        state.withLock { state -> Ending in
            over.store(true, ordering: .releasing)
            let read = state.read
            defer { state.undelivered = [] }
            return Ending(
                events: state.undelivered,
                unreadKeys: state.expected.filter { !read.contains($0) }.map(\.name)
            )
        }
    }

    private func noteLate(_ read: WatchedRead) {
        let late = LateRead(
            key: read.value.name,
            valueType: read.value.valueName,
            searchedScopes: read.searchedScopes,
            location: read.reference
        )
        let place = "\(late.key) \(late.location?.description ?? "")"
        if state.withLock({ $0.lateReads.insert(place).inserted }) { deliver(.lateRead(late)) }
    }

    // MARK: Survivors

    package func noteChild(_ scope: EnvironmentScope) { children.append(WeakScope(scope: scope)) }

    package func noteReference(_ reference: any WatchedReference) {
        references.append(WeakReference(reference: reference))
    }

    /// What is still alive.
    ///
    /// Ask when the case has let go of the scope.
    package var survivors: Survivors {
        var survivors = Survivors()
        if let scope {
            survivors.scope = scope.displayName
            survivors.holderCount = scope.holderCount
        }
        survivors.children = children.all.compactMap(\.scope).filter { !watches($0) }.map(\.displayName)
        // A reference is noted each time it is bound.
        var known: Set<ObjectIdentifier> = []
        survivors.references = references.all.compactMap { weak in
            guard let reference = weak.reference, let scope = reference.ownedScope, scope.isWatched(by: self) else {
                return nil
            }
            return known.insert(ObjectIdentifier(reference)).inserted ? reference.location : nil
        }
        return survivors
    }
}
