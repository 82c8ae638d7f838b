import ScopedInjection
import Testing

/// One case of a test while it runs in its scope.
final class RunningCase: Sendable {
    @TaskLocal static var current: RunningCase?

    let test: Test
    private let watch: ScopeWatch

    private init(_ test: Test, _ watch: ScopeWatch) {
        self.test = test
        self.watch = watch
    }

    /// Makes the scope, runs the case in it, closes it and reports.
    static func run(
        _ test: Test,
        as options: ScopeTrait.Options,
        _ body: @Sendable (RunningCase) async throws -> Void
    ) async throws {
        let report = CaseReport(test: test, strictness: options.strictness)
        let watch = ScopeWatch { event, isLast in report.take(event, isLast: isLast) }
        let (result, ending) = await RunningCase(test, watch).run(options, body)
        for event in ending.events { _ = report.take(event, isLast: true) }
        // Of a case that stopped half-way, nothing can be said.
        if case .success = result { report.unread(ending.unreadKeys) }
        report.survivors(await survivors(of: watch))
        try result.get()
    }

    /// Owns the scope; whoever else holds it when this returns outlives the case.
    private func run(
        _ options: ScopeTrait.Options,
        _ body: @Sendable (RunningCase) async throws -> Void
    ) async -> (Result<Void, any Error>, ScopeWatch.Ending) {
        let scope = watch.makeScope(
            options.name ?? test.displayName ?? test.name,
            parent: options.parent,
            defaults: options.defaults
        )
        let result: Result<Void, any Error>
        do {
            try await Self.$current.withValue(self) { try await scope { try await body(self) } }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await scope.close()
        // Cleanups read what the parent has.
        withExtendedLifetime(options) {}
        return (result, watch.end())
    }

    /// Sets the values of a trait.
    func configure(by trait: ScopeTrait) async throws {
        guard let scope = watch.scope else { return }
        // The values of a suite are for all its tests, few of which read them all.
        let isOfSuite = ScopeTrait.SuiteTraits.current.contains(trait.sourceLocation)
        watch.note(isOfSuite ? .optional : .expected)
        defer { watch.note(nil) }
        try await scope { try await trait.configure(scope) }
    }

    /// What is still alive, after a while in which other threads may let go of what they have just finished with.
    private static func survivors(of watch: ScopeWatch) async -> ScopeWatch.Survivors {
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
