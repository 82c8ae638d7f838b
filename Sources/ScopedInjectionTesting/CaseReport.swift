import ScopedInjection
import Testing

/// Records as issues of a test what its scope's watch found out.
struct CaseReport: Sendable {
    let test: Test
    let strictness: ScopeStrictness

    /// Records an event, if it would be an issue of the test from here or if there will be no better place.
    func take(_ event: ScopeWatch.Event, isLast: Bool) -> Bool {
        let isInTest = Test.current == test
        switch event {
        case .forbiddenDefault(let error):
            guard isInTest || isLast else { return false }
            record(
                [
                    error.description,
                    "  Given: the default all the same, for the rest of the test, because the read cannot throw.",
                ],
                at: error.location
            )
        case .endOfProgram(let error):
            record([error.description, "  The program ends, because the read cannot throw."], at: error.location)
        case .lateRead(let read):
            guard isInTest || isLast else { return false }
            record(text(of: read), at: read.location, isFailure: strictness.contains(.lateReads))
        }
        return true
    }

    /// Reports values that nothing read.
    func unread(_ keys: [String]) {
        guard !keys.isEmpty else { return }
        let lines = [
            "Set for the test, but never read: \(keys.joined(separator: ", ")).",
            "  To fix it: remove what is not needed, or look why the code under test does not read it.",
        ]
        record(lines, at: nil, isFailure: strictness.contains(.unreadValues))
    }

    /// Reports what outlives the case.
    func survivors(_ survivors: ScopeWatch.Survivors) {
        guard !survivors.isEmpty else { return }
        var lines = ["Alive after the test:"]
        if let scope = survivors.scope {
            let holders = survivors.holderCount
            lines.append(
                "  The test's scope \(scope), "
                    + (holders == 0
                        ? "held by somebody."
                        : "in force for \(holders) of: tasks, closures, references, child scopes.")
            )
        }
        lines += survivors.references.map { "  The reference at \($0), bound to the test's scope or one below." }
        lines += survivors.children.map { "  The child scope \($0)." }
        lines.append(
            "  To fix it: await the tasks that the test starts, and let go of closures, references and scopes before it ends."
        )
        record(lines, at: survivors.references.first, isFailure: strictness.contains(.survivors))
    }

    private func text(of read: ScopeWatch.LateRead) -> [String] {
        var lines = ["\(read.key) (\(read.valueType)) was read through the test's scope after the test had ended."]
        if let location = read.location { lines.append("  Read by: the reference at \(location)") }
        lines.append("  Searched: \(read.searchedScopes.joined(separator: " → "))")
        lines.append("  To fix it: let the test await all that it starts.")
        return lines
    }

    private func record(_ lines: [String], at location: ScopeError.Location?, isFailure: Bool = true) {
        var lines = lines
        if Test.current != test { lines.append("  Test: \(test.displayName ?? test.name)") }
        let comment = Comment(rawValue: lines.joined(separator: "\n"))
        let location = location.flatMap { sourceLocation(of: $0) } ?? test.sourceLocation
        #if compiler(>=6.3)
            Issue.record(comment, severity: isFailure ? .error : .warning, sourceLocation: location)
        #else
            // Before 6.3 an issue is always a failure.
            if isFailure { Issue.record(comment, sourceLocation: location) } else { print("warning: \(comment)") }
        #endif
    }

    /// The place in the form that an issue needs; nil where it is none.
    private func sourceLocation(of location: ScopeError.Location) -> SourceLocation? {
        guard location.line > 0, location.fileID.contains("/") else { return nil }
        let isInFileOfTest = location.fileID == test.sourceLocation.fileID
        return SourceLocation(
            fileID: location.fileID,
            filePath: isInFileOfTest ? test.sourceLocation.filePath : location.fileID,
            line: Int(location.line),
            column: 1
        )
    }
}
