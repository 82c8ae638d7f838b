import ScopedInjection
import Testing

/// Watches the global scope, and what lies below it, while tests run that forbid defaults.
///
/// It watches from the first such test on. What it notices is an issue of the test that reads. Where no test is known
/// (in a detached task, on a queue), it is an issue of the run.
final class GlobalWatch: ScopeWatch {
    private static let shared = GlobalWatch()
    private let state = Guarded(State())

    private struct State: Sendable {
        /// The cases that run and forbid defaults.
        var running: [RunningCase] = []
        var isAbsolute = false
        /// What was reported for the run.
        var reported: Set<Report> = []
    }

    struct Report: Hashable {
        let value: ValueKey
        let place: String
    }

    /// Runs the body of a case, which counts as running meanwhile.
    static func during<Result>(_ running: RunningCase, _ body: () async -> Result) async -> Result {
        guard running.forbidsDefaults else { return await body() }
        EnvironmentScope.global.startWatching(shared)
        shared.state.withLock { $0.running.append(running) }
        let result = await body()
        shared.state.withLock { $0.running.removeAll { $0 === running } }
        return result
    }

    /// Makes the global scope forbid defaults, for the rest of the process.
    static func forbidDefaults() {
        let isNew = shared.state.withLock { state in
            defer { state.isAbsolute = true }
            return !state.isAbsolute
        }
        guard isNew else { return }
        EnvironmentScope.global.startWatching(shared)
        EnvironmentScope.global.forbidDefaults()
    }

    // Not `EnvironmentScope.global`, which would be an input of the build in progress.
    func watches(_ scope: EnvironmentScope) -> Bool { scope.isGlobal }

    func noteReplacement(by scope: EnvironmentScope) {
        scope.startWatching(self)
        if state.withLock({ $0.isAbsolute }) { scope.forbidDefaults() }
    }

    func noteChild(_ scope: EnvironmentScope) {}
    func noteReference(_ reference: any WatchedReference) {}
    func noteSet(_ value: ValueKey, in scope: EnvironmentScope) {}
    func noteRemoved(_ value: ValueKey?, from scope: EnvironmentScope) {}
    var isEnding: Bool { false }

    // MARK: Reads

    func noteRead(_ read: WatchedRead) {
        if let running = RunningCase.current {
            guard running.forbidsDefaults, !running.watch.allowsDefault(of: read.value), read.usesDefault,
                isNew(read, in: running)
            else { return }
            running.report.globalRead(Self.text(of: read, in: running), at: read.reference)
        } else if Test.current == nil {
            let running = state.withLock { $0.isAbsolute ? [] : $0.running }
            guard let level = level(of: running), read.usesDefault, isNew(read, in: nil) else { return }
            let lines = Self.text(of: read, while: running)
            running[0].report.reporter.take(
                ScopeIssue(lines, of: nil, at: read.reference, isFailure: level == .failures)
            )
        }
    }

    /// How a read counts that no test is known of: as the strictest of the running tests says; nil if it is not
    /// reported.
    private func level(of running: [RunningCase]) -> ScopeStrictness.Level? {
        let levels = running.map(\.report.strictness.globalReads)
        return levels.contains(.failures) ? .failures : levels.contains(.warnings) ? .warnings : nil
    }

    private func isNew(_ read: WatchedRead, in running: RunningCase?) -> Bool {
        let report = Report(value: read.value, place: read.reference?.description ?? "")
        if let running { return running.globalReads.withLock { $0.insert(report).inserted } }
        return state.withLock { $0.reported.insert(report).inserted }
    }

    // MARK: Where the global scope itself forbids

    func allowsDefault(of value: ValueKey) -> Bool { false }

    func retries(after error: ScopeError, _ before: inout [ScopeError]) -> Bool {
        guard let test = Test.current else { return false }
        if let running = RunningCase.current { running.end(error) }
        CaseReport(test: test, strictness: .standard, reporter: ScopeIssue.reporter).deadEnd(error, stopping: nil)
    }

    func noteGiven(after errors: [ScopeError]) {}
}

// MARK: - Texts

extension GlobalWatch {
    private static func text(of read: WatchedRead, in running: RunningCase) -> [String] {
        var lines = facts(of: read, "although the test forbids defaults")
        lines.append(
            "  To fix it: read through the test's scope, which is current in the test's tasks, or set the value there."
        )
        return lines
    }

    private static func text(of read: WatchedRead, while running: [RunningCase]) -> [String] {
        var lines = facts(of: read, "while tests ran that forbid defaults")
        lines.append("  Read in: a detached task, or a thread or queue, so that no test is known.")
        let names = running.map { $0.test.displayName ?? $0.test.name }
        let more = names.count > 3 ? ", and \(names.count - 3) more" : ""
        lines.append("  Tests then running: \(names.prefix(3).joined(separator: ", "))\(more)")
        lines.append(
            "  To fix it: let what starts that work carry the scope to it (EnvironmentScope.current.bind { … })."
        )
        return lines
    }

    private static func facts(of read: WatchedRead, _ circumstance: String) -> [String] {
        var lines = [
            """
            \(read.value.name) (\(read.value.valueName)) was given by defaults of the global scope, \(circumstance).
            """
        ]
        if let location = read.reference { lines.append("  Read by: the reference at \(location)") }
        lines.append("  Searched: \(read.searchedScopes.joined(separator: " → "))")
        return lines
    }
}
