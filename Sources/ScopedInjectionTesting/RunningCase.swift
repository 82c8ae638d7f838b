import ScopedInjection
import Testing

/// One case of a test while it runs in its scope.
final class RunningCase: Sendable {
    @TaskLocal static var current: RunningCase?

    let report: CaseReport
    let watch: CaseWatch
    let forbidsDefaults: Bool
    /// Reads through the global scope that were reported.
    let globalReads = Guarded<Set<GlobalWatch.Report>>([])
    private let stoppable: StoppableCase

    var test: Test { report.test }

    private init(_ report: CaseReport, _ watch: CaseWatch, _ stoppable: StoppableCase, forbidsDefaults: Bool) {
        self.stoppable = stoppable
        self.report = report
        self.watch = watch
        self.forbidsDefaults = forbidsDefaults
    }

    /// Makes the scope, runs the case in it, closes it and reports.
    static func run(
        _ test: Test,
        as options: ScopeTrait.Options,
        _ body: @concurrent @Sendable (RunningCase) async throws -> Void
    ) async throws {
        let report = CaseReport(test: test, strictness: options.strictness, reporter: ScopeIssue.reporter)
        let (watch, result, ending) = await runToEnd(report, options, body)
        for event in ending.events { report.take(event) }
        // A case that threw may not have come to its reads.
        if case .success = result { report.unread(ending.unreadKeys) }
        // A case that was stopped keeps all that it held, and its issue is recorded already.
        if case .failure(is StoppableCase.Stopped) = result { return }
        if options.strictness.survivors != .off { report.survivors(await survivors(of: watch)) }
        try result.get()
    }

    /// Owns the parent and the scope while the case runs.
    ///
    /// Whoever else holds them when this returns outlives the case. The watch does not, because a value of the parent may
    /// hold a scope of the case, which holds the watch.
    private static func runToEnd(
        _ report: CaseReport,
        _ options: ScopeTrait.Options,
        _ body: @concurrent @Sendable (RunningCase) async throws -> Void
    ) async -> (CaseWatch, Result<Void, any Error>, CaseWatch.Ending) {
        let parent = options.makeParent()
        let stoppable = StoppableCase()
        let isAlone = parent == nil
        let watch = CaseWatch(
            allowing: options.allowed,
            deadEnd: { end(report, stoppable, isAlone: isAlone, of: $1, $0) },
            { event, isLast in
                guard isLast || current?.stoppable === stoppable else { return false }
                report.take(event)
                return true
            }
        )
        let forbidsDefaults = options.defaults.map { $0 == .forbidden } ?? parent?.forbidsDefaults ?? false
        let running = RunningCase(report, watch, stoppable, forbidsDefaults: forbidsDefaults)
        let (result, ending) = await GlobalWatch.during(running) { await running.run(options, below: parent, body) }
        return (watch, result, ending)
    }

    private func run(
        _ options: ScopeTrait.Options,
        below parent: EnvironmentScope?,
        _ body: @concurrent @Sendable (RunningCase) async throws -> Void
    ) async -> (Result<Void, any Error>, CaseWatch.Ending) {
        let name = options.name ?? test.displayName ?? test.name
        let scope = watch.makeScope(name, parent: parent, defaults: options.defaults)
        let result: Result<Void, any Error>
        do {
            try await Self.$current.withValue(self) {
                try await scope { try await stoppable.run { try await body(self) } }
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        watch.startEnding()
        await Self.$current.withValue(self) { await scope.close() }
        // The cleanups may read through the parent.
        withExtendedLifetime(parent) {}
        return (result, watch.end())
    }

    /// Stops the case if it can be stopped, and ends the process if not, where a read has nothing to return.
    ///
    /// - Parameter isAlone: Whether nobody outside the case can wait for a value that its scope builds.
    private static func end(
        _ report: CaseReport,
        _ stoppable: StoppableCase,
        isAlone: Bool,
        of watch: CaseWatch,
        _ error: ScopeError
    ) -> Never {
        let isAwaited = isAlone ? EnvironmentScope.isBuilding(outside: watch) : EnvironmentScope.isBuilding
        let canStop = stoppable.canStop && !isAwaited
        report.deadEnd(error, stopping: canStop ? stoppable : nil)
    }

    /// The same for a read that did not go through the case's scope.
    func end(_ error: ScopeError) -> Never { Self.end(report, stoppable, isAlone: false, of: watch, error) }

    /// Sets the values of a trait.
    func configure(by trait: ScopeTrait) async throws {
        guard let scope = watch.scope else { return }
        // The values of a suite are for all its tests, few of which read them all.
        let isOfSuite = ScopeTrait.SuiteTraits.current.contains(ObjectIdentifier(trait.identity))
        watch.note(isOfSuite ? .optional : .expected)
        defer { watch.note(nil) }
        try await scope { try await trait.configure(scope) }
    }

    /// What is still alive after a while, in which other threads may let go of what they have just finished with.
    private static func survivors(of watch: CaseWatch) async -> CaseWatch.Survivors {
        var survivors = watch.survivors
        var pause = Duration.milliseconds(1)
        while !survivors.isEmpty, pause < .milliseconds(250) {
            // In a task of its own, because that of a test that was cancelled would not pause.
            await Task.detached { [pause] in try? await Task.sleep(for: pause) }.value
            pause *= 2
            survivors = watch.survivors
        }
        return survivors
    }
}
