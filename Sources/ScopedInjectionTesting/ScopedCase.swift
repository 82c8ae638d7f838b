import ScopedInjection
import Testing

/// One case of a test: makes its scope, runs the case in it, and says what the test has to be told.
final class ScopedCase: Sendable {
    @TaskLocal static var current: ScopedCase?

    /// Nil for an XCTest.
    let test: Test?
    /// What texts call the test.
    let title: String
    let strictness: ScopeStrictness?
    let policy: DefaultsPolicy
    let allowed: Set<ValueKey>
    let state = Guarded(State())
    /// The scopes that were made below the case's.
    let children = WeakList<WeakScope> { $0.scope }
    /// The references that were bound to the scope, or to one below.
    let references = WeakList<WeakReference> { $0.reference }
    private let reporter: ScopeIssue.Reporter

    struct State: Sendable {
        var scope = WeakScope()
        var scopeID: ObjectIdentifier?
        /// Whether the values that are set now should be read; nil while no trait sets values.
        var isReadExpected: Bool?
        var expected: [ValueKey] = []
        var read: Set<ValueKey> = []
        /// What was set in the scope, or below, by traits or by the test.
        var set: Set<ValueKey> = []
        var told: Set<Told> = []
        var isOver = false
        var mail = Mail.kept([])
    }

    struct WeakScope: Sendable { weak var scope: EnvironmentScope? }
    struct WeakReference: Sendable { weak var reference: (any WatchedReference)? }

    /// What is told once.
    enum Told: Hashable {
        case defaultOf(ValueKey)
        case readLate(ValueKey, at: String?)
        case builtLate(ValueKey)
        case begun(ValueKey)
        case inRoot(String)
    }

    /// Where issues go that come up elsewhere than in the case's own tasks, where Swift Testing would not know the test.
    enum Mail {
        case kept([ScopeIssue])
        case forwarded(AsyncStream<ScopeIssue>.Continuation)
        /// Nobody forwards them any more.
        case recorded
    }

    init(
        _ test: Test?,
        _ title: String,
        _ options: ScopeTrait.Options,
        below parent: EnvironmentScope?,
        reportingTo reporter: ScopeIssue.Reporter = ScopeIssue.reporter
    ) {
        self.test = test
        self.title = title
        self.reporter = reporter
        strictness = options.strictness
        allowed = Set(options.allowed)
        policy = options.defaults ?? (parent?.defaults == .forbidden ? .forbidden : .reported)
        Self.running.append(WeakCase(running: self))
    }

    deinit {
        if case .forwarded(let forwarder) = state.withLock({ $0.mail }) { forwarder.finish() }
    }

    // MARK: Running

    /// Makes the scope, runs the case in it, closes it and reports.
    static func run(
        _ test: Test,
        as options: ScopeTrait.Options,
        _ body: @concurrent @Sendable (ScopedCase) async throws -> Void
    ) async throws {
        let (running, result) = await runToEnd(test, options, body)
        running.end()
        // A case that threw may not have come to its reads.
        if case .success = result { running.reportUnread() }
        await running.finish()
        try result.get()
    }

    /// Owns the parent and the scope while the case runs.
    ///
    /// Whoever else holds them when this returns outlives the case.
    private static func runToEnd(
        _ test: Test,
        _ options: ScopeTrait.Options,
        _ body: @concurrent @Sendable (ScopedCase) async throws -> Void
    ) async -> (ScopedCase, Result<Void, any Error>) {
        var parent = options.makeParent()
        let running = ScopedCase(test, test.title, options, below: parent)
        let scope = running.makeScope(options.name ?? test.title, below: parent)
        let result = await $current.withValue(running) {
            let result: Result<Void, any Error>
            do {
                try await scope { try await body(running) }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await running.close(scope, within: options.closingLimit)
            // A late read is told, and given what it needs.
            scope.reopen()
            return result
        }
        // Nobody else can close one that only the traits have.
        if parent != nil, isKnownUniquelyReferenced(&parent), let parent {
            await running.close(parent, within: options.closingLimit)
        }
        return (running, result)
    }

    func makeScope(_ name: String, below parent: EnvironmentScope?) -> EnvironmentScope {
        let scope = EnvironmentScope.empty(name, parent: parent, defaults: policy)
        scope.takeEveryRole()
        for value in allowed { scope.allowDefault(of: value) }
        state.withLock { state in
            state.scope.scope = scope
            state.scopeID = ObjectIdentifier(scope)
        }
        scope.startWatching(self)
        return scope
    }

    /// Sets the values of a trait.
    ///
    /// - Parameter isOfSuite: Whether the values are for all tests of a suite, few of which read them all.
    func configure(by trait: ScopeTrait, isOfSuite: Bool) async throws {
        guard let scope = state.withLock({ $0.scope }).scope else { return }
        state.withLock { $0.isReadExpected = !isOfSuite }
        defer { state.withLock { $0.isReadExpected = nil } }
        try await scope { try await trait.configure(scope) }
    }

    // MARK: Reporting

    /// Whether the test has set the value, or its scope keeps it.
    func has(_ value: ValueKey) -> Bool {
        let (isSet, scope) = state.withLock { ($0.set.contains(value), $0.scope.scope) }
        return isSet || scope?.has(value) == true
    }

    private static let running = WeakList<WeakCase> { $0.running }

    private struct WeakCase: Sendable { weak var running: ScopedCase? }

    /// A running case that has a value.
    static func running(with value: ValueKey) -> ScopedCase? {
        running.all.lazy.compactMap(\.running).first { !$0.isOver && $0.has(value) }
    }

    /// Whether this is told now for the first time.
    func isNew(_ told: Told) -> Bool { state.withLock { $0.told.insert(told).inserted } }

    var isOver: Bool { state.withLock { $0.isOver } }

    func report(
        _ lines: [String],
        at place: ScopeError.Location? = nil,
        as level: ScopeStrictness = .failures
    ) {
        if level == .off { return }
        deliver(ScopeIssue(lines, of: test, at: place, near: test?.sourceLocation, isFailure: level == .failures))
    }

    /// Records an issue of the case, now or in the case's own task.
    func deliver(_ issue: ScopeIssue) {
        if Self.current === self { return reporter.take(issue) }
        if keep(issue) { return }
        if case .forwarded(let forwarder) = state.withLock({ $0.mail }) {
            forwarder.yield(issue)
        } else {
            reporter.take(issue)
        }
    }

    /// Keeps an issue for the case's own task; false if that has taken what was kept.
    func keep(_ issue: ScopeIssue) -> Bool {
        state.withLock { state in
            guard case .kept(let issues) = state.mail else { return false }
            state.mail = .kept(issues + [issue])
            return true
        }
    }

    /// Where a text says which test it was.
    var description: String { test.map { "\(title) (\($0.sourceLocation))" } ?? title }

    /// From now on every read is late.
    func end() {
        state.withLock { $0.isOver = true }
        recordMail(thenUsing: .kept([]))
    }

    func reportUnread() {
        let values = state.withLock { state in state.expected.filter { !state.read.contains($0) }.map(\.name) }
        guard !values.isEmpty else { return }
        report(Self.lines(ofUnread: values), as: strictness ?? .off)
    }

    /// Reports what outlives the case, and forwards what it does later.
    private func finish() async {
        let survivors = strictness == .off ? survivors : await lastingSurvivors()
        if survivors.isEmpty { return recordMail(thenUsing: .recorded) }
        report(Self.lines(of: survivors), at: survivors.references.first, as: strictness ?? .warnings)
        let (issues, forwarder) = AsyncStream.makeStream(of: ScopeIssue.self)
        recordMail(thenUsing: .forwarded(forwarder))
        // It inherits what tells Swift Testing the test.
        Task { [reporter] in for await issue in issues { reporter.take(issue) } }
    }

    func recordMail(thenUsing next: Mail) {
        let mail = state.withLock { state in
            defer { state.mail = next }
            return state.mail
        }
        guard case .kept(let issues) = mail else { return }
        for issue in issues { reporter.take(issue) }
    }
}
