import ScopedInjection
import Testing

/// Writes the texts of a case's issues, and hands them to whoever takes issues.
struct CaseReport: Sendable {
    let test: Test
    let strictness: ScopeStrictness
    let reporter: ScopeIssue.Reporter

    /// Records an event.
    func take(_ event: CaseWatch.Event) {
        switch event {
        case .forbiddenDefault(let error):
            record(Self.text(ofForbidden: error), at: error.location, .failures)
        case .lateRead(let read):
            record(text(of: read), at: read.location, strictness.lateReads)
        }
    }

    /// Reports a read that has nothing to return.
    ///
    /// Then it stops the case if it can be stopped, and ends the process if
    /// not.
    func deadEnd(_ error: ScopeError, stopping stoppable: StoppableCase?) -> Never {
        let end = stoppable == nil ? "The process ends" : "The test stops here"
        let lines = Self.text(ofDeadEnd: error, end: end)
        record(lines, at: error.location, .failures)
        stoppable?.stop(for: error)
        fatalError(
            (lines + ["  Test: \(test.displayName ?? test.name) (\(test.sourceLocation))"]).joined(separator: "\n")
        )
    }

    /// Reports values that nothing read.
    func unread(_ keys: [String]) {
        guard !keys.isEmpty else { return }
        let lines = [
            "Set for the test, but never read: \(keys.joined(separator: ", ")).",
            "  To fix it: remove what is not needed, or find out why the code under test does not read it.",
        ]
        record(lines, at: nil, strictness.unreadValues)
    }

    /// Reports what outlives the case.
    func survivors(_ survivors: CaseWatch.Survivors) {
        guard !survivors.isEmpty else { return }
        var lines = ["Alive after the test:"]
        if let scope = survivors.scope {
            let holders =
                switch survivors.holderCount {
                case 0: "somebody"
                case 1: "1 task, closure, reference or child scope"
                case let count: "\(count) tasks, closures, references or child scopes"
                }
            lines.append("  The test's scope \(scope), held by \(holders).")
        }
        lines += survivors.references.map { "  The reference at \($0), bound to the test's scope or one below." }
        lines += survivors.children.map { "  The child scope \($0)." }
        lines.append(
            "  To fix it: await the tasks that the test starts, and let go of closures, references and scopes before it ends."
        )
        record(lines, at: survivors.references.first, strictness.survivors)
    }

    /// Reports a default that was read through the global scope.
    func globalRead(_ lines: [String], at location: ScopeError.Location?) { record(lines, at: location, .failures) }

    private func text(of read: CaseWatch.LateRead) -> [String] {
        var lines = ["\(read.key) (\(read.valueType)) was read through the test's scope after the test had ended."]
        if let location = read.location { lines.append("  Read by: the reference at \(location)") }
        lines.append("  Searched: \(read.searchedScopes.joined(separator: " → "))")
        lines.append("  To fix it: let the test await all that it starts.")
        return lines
    }

    private func record(_ lines: [String], at location: ScopeError.Location?, _ level: ScopeStrictness.Level?) {
        guard let level, level != .off else { return }
        reporter.take(ScopeIssue(lines, of: test, at: location, isFailure: level == .failures))
    }
}

// MARK: - Texts

extension CaseReport {
    static func text(ofForbidden error: ScopeError) -> [String] {
        let setting = error.codeMember.map { "$0\($0) = …" } ?? "…"
        let naming = error.codeNameOfForbidden.map { "allowing: \($0)" } ?? "allowing:"
        var lines = [
            error.text(
                advising: """
                    set it in the test (.scope { \(setting) }), or allow its default there (\(naming)); \
                    if the default harms no test, say so where it is declared (isSafeInTests: true).
                    """
            ),
            "  Given: the default all the same, for the rest of the test, because the read cannot throw.",
        ]
        if error.location == nil { lines.append(Self.lineOfTest) }
        return lines
    }

    private static func text(ofDeadEnd error: ScopeError, end: String) -> [String] {
        var advice: String?
        if error.code == .missingValue || error.code == .defaultForbidden {
            let setting = error.codeMember.map { "$0\($0) = …" } ?? "…"
            let naming = error.codeName.map { "try scope.value(for: \($0))" } ?? "try scope.value(for:)"
            advice = "set it in the test (.scope { \(setting) }), or read it where the read can throw (\(naming))."
        }
        var lines = [
            error.text(advising: advice), "  \(end), because the read can neither throw nor return.",
        ]
        if error.location == nil { lines.append(Self.lineOfTest) }
        return lines
    }

    private static let lineOfTest = "  This line: that of the test, because the scope was read without a reference."
}
