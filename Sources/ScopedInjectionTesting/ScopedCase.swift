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
        /// The one within it, where the trait has two.
        var request = WeakScope()
        /// Those two, also when they are gone.
        var scopeIDs: Set<ObjectIdentifier> = []
        /// Whether the values that are set now should be read; nil while no trait sets values.
        var isReadExpected: Bool?
        var expected: [ValueKey] = []
        var read: Set<ValueKey> = []
        /// What was set in the scope, or below, by traits or by the test.
        var set: Set<ValueKey> = []
        var told: Set<Told> = []
        /// Live defaults that were given, because they were built from what the test has set.
        var own: Set<ValueKey> = []
        /// The errors of missing and forbidden values.
        var refused: [ScopeError] = []
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
        if case .success = result {
            running.reportUnread()
            running.reportSwallowed()
        }
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
        let request = options.hasRequest ? running.makeRequest(in: scope) : nil
        let result = await $current.withValue(running) {
            let result: Result<Void, any Error>
            do {
                try await (request ?? scope)() { try await body(running) }
                result = .success(())
            } catch {
                result = .failure(error)
            }
            if let request { await running.close(request, within: options.closingLimit) }
            await running.close(scope, within: options.closingLimit)
            // A late read is told, and given what it needs.
            scope.reopen()
            request?.reopen()
            return result
        }
        // Nobody else can close one that only the traits have.
        if parent != nil, isKnownUniquelyReferenced(&parent), let parent {
            await running.close(parent, within: options.closingLimit)
        }
        return (running, result)
    }

    func makeScope(_ name: String, below parent: EnvironmentScope?) -> EnvironmentScope {
        TestProcess.begin()
        let scope = EnvironmentScope.empty(name, parent: parent, defaults: policy)
        scope.takeEveryRole()
        for value in allowed { scope.allowDefault(of: value) }
        state.withLock { state in
            state.scope.scope = scope
            state.scopeIDs.insert(ObjectIdentifier(scope))
        }
        scope.startWatching(self)
        return scope
    }

    /// Makes the scope of the test's request, which is current in the test.
    func makeRequest(in scope: EnvironmentScope) -> EnvironmentScope {
        let request = EnvironmentScope.empty("request", role: .request, parent: scope)
        state.withLock { state in
            state.request.scope = request
            state.scopeIDs.insert(ObjectIdentifier(request))
        }
        return request
    }

    /// Sets the values of a trait.
    ///
    /// - Parameter isOfSuite: Whether the values are for all tests of a suite, few of which read them all.
    func configure(by trait: ScopeTrait, isOfSuite: Bool) async throws {
        let (scope, request) = state.withLock { ($0.scope.scope, $0.request.scope) }
        guard let scope else { return }
        state.withLock { $0.isReadExpected = !isOfSuite }
        defer { state.withLock { $0.isReadExpected = nil } }
        try await scope { try await trait.configure(scope) }
        if let request, let configure = trait.request { try await request { try await configure(request) } }
    }

    // MARK: Reporting

    /// Whether the test has set the value, or its scope keeps it.
    func has(_ value: ValueKey) -> Bool {
        let (isSet, scope) = state.withLock { ($0.set.contains(value), $0.request.scope ?? $0.scope.scope) }
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
        let isFailure = level == .failures
        let lines = isFailure ? lines + linesOfOwn : lines
        deliver(ScopeIssue(lines, of: test, at: place, near: test?.sourceLocation, isFailure: isFailure))
    }

    /// What was let through, where the test fails for something else.
    private var linesOfOwn: [String] {
        let names = state.withLock { $0.own }.map(\.name).sorted()
        return names.isEmpty
            ? [] : ["  Not told, because built from what the test has set: \(names.joined(separator: ", "))."]
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

    /// Reports what could not be read, although the test went on.
    func reportSwallowed() {
        var known: Set<ValueKey> = []
        for error in state.withLock({ $0.refused }) where error.subject.map({ known.insert($0).inserted }) == true {
            let isForbidden = policy == .forbidden || error.code == .defaultForbidden
            report(
                Self.lines(ofSwallowed: error),
                at: error.reference,
                as: strictness ?? (isForbidden ? .failures : .warnings)
            )
        }
    }

    /// Reports what outlives the case; whether anything does.
    @discardableResult
    func reportSurvivors() async -> Bool {
        let survivors = strictness == .off ? survivors : await lastingSurvivors()
        if survivors.isEmpty { return false }
        report(Self.lines(of: survivors), at: survivors.references.first, as: strictness ?? .warnings)
        return true
    }

    /// Reports what outlives the case, and forwards what it does later.
    private func finish() async {
        guard await reportSurvivors() else { return recordMail(thenUsing: .recorded) }
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
