import Synchronization

extension EnvironmentScope {
    /// Reports what this scope, and those below it, build, wait for and clean up, with how long it took.
    ///
    /// For metrics, traces and logs, and to find out what makes a first request slow; see <doc:Seeing>.
    ///
    /// ```swift
    /// app.observe { event in logger.debug("\(event)") }
    /// ```
    ///
    /// The observer is called right after the event, on the thread that caused it and while no lock is held; others may
    /// call it at the same time. It may read scopes, but what it makes them build is reported to it in turn, and where it is told
    /// of a build that another one needs, reading the value that is still being built is a cycle. It stays for
    /// as long as the scope lives. Reads of values that are there are not reported, and cost nothing more.
    public func observe(_ observer: @escaping @Sendable (ScopeEvent) -> Void) {
        let scope = changeable("Adding an observer")
        Observation.noteUse()
        scope.state.withLock { $0.makeRare().observers.append(observer) }
    }
}

/// The times of what is reported to observers.
struct Observation {
    private let start: ContinuousClock.Instant

    /// Starts taking the time; nil where no scope was ever observed, so that nobody pays for clocks.
    static func begin() -> Observation? {
        inUse.load(ordering: .relaxed) ? Observation(start: ContinuousClock.now) : nil
    }

    /// Reports the end of something to the observers of a scope and of those outside it.
    func end(_ kind: ScopeEvent.Kind, in scope: EnvironmentScope, _ change: (inout ScopeEvent) -> Void = { _ in }) {
        let observers = scope.chain.flatMap { scope in scope.state.withLock { $0.rare?.observers ?? [] } }
        guard !observers.isEmpty else { return }
        var event = ScopeEvent(kind: kind, scope: scope.label, duration: ContinuousClock.now - start)
        change(&event)
        for observer in observers { observer(event) }
    }

    /// Reports the end of building a value, or of waiting for one.
    func end(
        _ kind: ScopeEvent.Kind,
        _ key: AnyKey,
        in scope: EnvironmentScope,
        keptIn keeper: EnvironmentScope? = nil,
        error: ScopeError? = nil
    ) {
        end(kind, in: scope) { event in
            event.key = key.name
            event.valueType = key.valueName
            event.keptIn = keeper?.label
            event.error = error
        }
    }

    static func noteUse() { inUse.store(true, ordering: .relaxed) }

    private static let inUse = Atomic(false)
}
