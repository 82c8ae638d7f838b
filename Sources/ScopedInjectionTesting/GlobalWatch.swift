import ScopedInjection
import Testing

/// Watches the global scope, and what lies below it, while tests run in scopes of their own.
///
/// What it notices is an issue of the test that reads. Where no test is known (in a detached task, on a queue), it is an
/// issue of one that runs and may be meant.
final class GlobalWatch: ScopeWatch {
    private static let shared = GlobalWatch()
    private static let start: Void = EnvironmentScope.global.startWatching(shared)
    private let state = Guarded(State())

    private struct State: Sendable {
        /// The cases that run, by the order in which they began.
        var running: [Int: ScopedCase] = [:]
        var nextNumber = 0
        /// What was told where no test was known.
        var told: Set<ScopedCase.Told> = []
    }

    /// Notes that a case runs; gives its number.
    static func begin(_ running: ScopedCase) -> Int {
        _ = start
        return shared.state.withLock { state in
            defer { state.nextNumber += 1 }
            state.running[state.nextNumber] = running
            return state.nextNumber
        }
    }

    static func end(_ number: Int) { shared.state.withLock { $0.running[number] = nil } }

    /// Makes the global scope forbid defaults, for the rest of the process.
    static func forbidDefaults() {
        _ = start
        EnvironmentScope.global.setDefaults(.forbidden)
    }

    /// The cases that run, in the order in which they began.
    static var running: [ScopedCase] {
        shared.state.withLock { $0.running }.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Says which tests may be meant where none is known.
    static func line(naming candidates: [ScopedCase]) -> String {
        var titles: [String] = []
        for candidate in candidates where !titles.contains(candidate.test.title) { titles.append(candidate.test.title) }
        let more = titles.count > 3 ? ", and \(titles.count - 3) more" : ""
        return "  Tests that may be meant: \(titles.prefix(3).joined(separator: ", "))\(more)"
    }

    /// Records an issue of one of the tests that may be meant, in its own task.
    static func deliver(
        _ lines: [String],
        at location: SourceLocation,
        isFailure: Bool,
        toOneOf candidates: [ScopedCase]
    ) {
        let issues = candidates.map { ($0, ScopeIssue(lines, of: $0.test, at: location, isFailure: isFailure)) }
        // No case ends meanwhile.
        let isKept = shared.state.withLock { state in
            issues.contains { candidate, issue in
                state.running.contains { $0.value === candidate } && candidate.keep(issue)
            }
        }
        if !isKept, let (first, issue) = issues.first { first.deliver(issue) }
    }

    // MARK: Reads

    func noteRead(_ read: WatchedRead) {
        let told = ScopedCase.Told.readInGlobal("\(read.value.name) \(read.reference?.description ?? "")")
        if let own = ScopedCase.current {
            guard let miss = own.miss(in: read), own.isNew(told) else { return }
            own.report(Self.lines(of: read, miss), at: read.reference, as: own.strictness.globalReads)
        } else if Test.current == nil {
            let misses = Self.running.compactMap { running in running.miss(in: read).map { (running, $0) } }
                .filter { $0.0.strictness.globalReads != .off }
            // If one has set the value, it is meant.
            let isSet = misses.contains { $0.1 == .setValue }
            let candidates = isSet ? misses.filter { $0.1 == .setValue }.map(\.0) : misses.map(\.0)
            guard let first = candidates.first, state.withLock({ $0.told.insert(told).inserted }) else { return }
            let lines = Self.lines(of: read, isSet ? .setValue : .givenDefault, among: candidates)
            let isFailure = candidates.contains { $0.strictness.globalReads == .failures }
            let location = SourceLocation(read.reference, near: first.test.sourceLocation)
            Self.deliver(lines, at: location, isFailure: isFailure, toOneOf: candidates)
        }
    }

    func linesOfEnd(_ error: ScopeError) -> [String] {
        if let test = Test.current { return ["  Test: \(test.title) (\(test.sourceLocation))"] }
        let running = Self.running
        if running.isEmpty { return [] }
        let setting = running.filter { $0.hasSet(error.subject) }
        return [
            Self.line(naming: setting.isEmpty ? running : setting), "  If a test has started this work: \(Self.remedy)",
        ]
    }

    func noteLateBuild(of value: ValueKey, in scope: EnvironmentScope) {
        ScopedCase.current?.noteLateBuild(of: value, in: scope)
    }

    func noteLeftUnclosed(_ scope: EnvironmentScope) { ScopedCase.current?.noteLeftUnclosed(scope) }

    func noteCleanupFailure(_ failure: ScopeEvent, in scope: EnvironmentScope) {
        ScopedCase.current?.noteCleanupFailure(failure, in: scope)
    }

    func noteChild(_ scope: EnvironmentScope) {}
    func noteReference(_ reference: any WatchedReference) {}
    func noteSet(_ value: ValueKey, in scope: EnvironmentScope) {}
    func noteRemoved(_ value: ValueKey?, from scope: EnvironmentScope) {}
    func noteDefault(_ error: ScopeError) {}
}

extension ScopedCase {
    /// What a case misses if a read in the global scope was meant to be one in its own.
    enum Miss {
        /// The case has set the value, which the read does not see.
        case setValue
        /// The read is given a default that the case would be told of.
        case givenDefault
    }

    fileprivate func hasSet(_ value: ValueKey?) -> Bool {
        state.withLock { state in value.map(state.set.contains) ?? false }
    }

    /// What the case misses if it is meant by a read in the global scope, or below; nil for nothing.
    fileprivate func miss(in read: WatchedRead) -> Miss? {
        if read.scope.isGlobal, hasSet(read.value) { return .setValue }
        guard policy != .allowed, !allowed.contains(read.value), read.usesDefault, read.scope.defaults != .forbidden
        else { return nil }
        return .givenDefault
    }
}

// MARK: - Texts

extension GlobalWatch {
    private static let remedy = "let what starts it carry the test's scope to it (EnvironmentScope.current.bind { … })."

    private static func lines(of read: WatchedRead, _ miss: ScopedCase.Miss) -> [String] {
        facts(of: read, miss, "the test") + [
            """
              To fix it: read through the scope that is current in the test's tasks, instead of the global one \
            or one made below it.
            """
        ]
    }

    private static func lines(
        of read: WatchedRead,
        _ miss: ScopedCase.Miss,
        among candidates: [ScopedCase]
    ) -> [String] {
        facts(of: read, miss, "a running test") + [
            "  Read in: a detached task, or a thread or queue, so that no test is known.",
            line(naming: candidates), "  To fix it: \(remedy)",
        ]
    }

    private static func facts(of read: WatchedRead, _ miss: ScopedCase.Miss, _ test: String) -> [String] {
        let name = "\(read.value.name) (\(read.value.valueName))"
        let fact =
            switch miss {
            case .setValue: "\(name) was read in the global scope, which does not have what \(test) has set."
            case .givenDefault: "\(name) was read in the global scope, which gave its default."
            }
        var lines = [fact]
        if let place = read.reference { lines.append("  Read by: the reference at \(place)") }
        lines.append("  Searched: \(read.searchedScopes.joined(separator: " → "))")
        return lines
    }
}
