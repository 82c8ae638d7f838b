import ScopedInjection
import Testing

/// Watches the global scope, and what lies below it, for the whole process.
///
/// What it notices is an issue of the test that reads. Where no test is known (in a detached task, on a queue), it is one of
/// the run. The core finds it by its name, so neither may change alone.
final class GlobalWatch: TestHook {
    private static let shared = GlobalWatch()
    static var watch: any ScopeWatch { shared }

    private let told = Guarded(Set<Told>())

    private struct Told: Hashable, Sendable {
        let test: Test.ID?
        let read: String
    }

    static func record(_ lines: [String], fileID: StaticString, line: UInt) {
        let place = SourceLocation(fileID: "\(fileID)", filePath: "\(fileID)", line: max(1, Int(line)), column: 1)
        if Test.current == nil { XCTestFailure.record(lines) }
        deliver(lines, at: place)
    }

    /// Records an issue of the running test, or of the run.
    private static func deliver(_ lines: [String], at location: SourceLocation, isFailure: Bool = true) {
        let test = Test.current
        let lines = test == nil ? lines + linesOfUnknown : lines
        let issue = ScopeIssue(lines, of: test, at: location, isFailure: isFailure)
        // Arguments are made before the tests run, when Swift Testing drops issues.
        if let test, Test.Case.current == nil { print("error: \(test.name): \(issue.text)") }
        if let running = ScopedCase.current { running.deliver(issue) } else { ScopeIssue.reporter.take(issue) }
    }

    private static let linesOfUnknown = [
        "  Called in: a detached task, or a thread or queue, so that no test is known.",
        """
          If a test has started this work: let what starts it carry the test's scope to it \
        (EnvironmentScope.current.bind { … }).
        """,
    ]
}

extension GlobalWatch: ScopeWatch {
    func tellOfRead(_ read: WatchedRead) {
        let own = ScopedCase.current
        if let own, read.scope.isGlobal, own.hasSet(read.value) {
            report(read.value, read, "which does not have what the test has set.", in: own)
        } else if own?.policy != .allowed, read.scope.defaults == .reported {
            for value in read.liveDefaults where own?.allowed.contains(value) != true {
                report(value, read, "which gave its default.", in: own)
            }
        }
    }

    private func report(_ value: ValueKey, _ read: WatchedRead, _ fact: String, in own: ScopedCase?) {
        let level = own?.strictness.globalReads ?? .failures
        let told = Told(test: Test.current?.id, read: "\(value.name) \(read.reference?.description ?? "")")
        let isNew = self.told.withLock { $0.insert(told).inserted }
        // Which XCTest runs is not known, so each read is told.
        guard level != .off, isNew || Test.current == nil else { return }
        let isPart = EnvironmentScope.isChangingPart && !read.isInBuilder && value == read.value
        let lines =
            isPart ? ScopedCase.lines(ofPart: value, read.searched) : Self.lines(of: value, read, fact, own)
        let place = Test.current?.sourceLocation ?? SourceLocation(value.location)
        if Test.current == nil { XCTestFailure.record(lines) }
        if isNew { Self.deliver(lines, at: SourceLocation(read.reference, near: place), isFailure: level == .failures) }
    }

    private static func lines(of value: ValueKey, _ read: WatchedRead, _ fact: String, _ own: ScopedCase?) -> [String] {
        var lines = ["\(value.name) (\(value.valueName)) was read in the global scope, \(fact)"]
        if let place = read.reference { lines.append("  Read by: the reference at \(place)") }
        lines.append("  Searched: \(read.searched)")
        if own != nil {
            lines.append(
                """
                  To fix it: read through the scope that is current in the test's tasks, instead of the global one \
                or one made below it.
                """
            )
        } else {
            lines.append(
                """
                  To fix it: give the test a scope that sets it (\(ScopedCase.setting(value.codeMember))), or give it a value \
                for tests where it is declared (inTests:).
                """
            )
        }
        return lines
    }

    func linesOfEnd(_ error: ScopeError) -> [String] {
        let test = Test.current.map { ["  Test: \($0.title) (\($0.sourceLocation))"] } ?? []
        return test + ScopedCase.linesOfSetting(error) + (test.isEmpty ? [Self.linesOfUnknown[1]] : [])
    }

    func tellOfLateBuild(of value: ValueKey, in scope: EnvironmentScope) {
        ScopedCase.current?.tellOfLateBuild(of: value, in: scope)
    }

    func tellOfLeftUnclosed(_ scope: EnvironmentScope) { ScopedCase.current?.tellOfLeftUnclosed(scope) }

    func tellOfCleanupFailure(_ failure: ScopeEvent, in scope: EnvironmentScope) {
        ScopedCase.current?.tellOfCleanupFailure(failure, in: scope)
    }

    func tellOfChild(_ scope: EnvironmentScope) {}
    func tellOfReference(_ reference: any WatchedReference) {}
    func tellOfRole(of value: ValueKey, in scope: EnvironmentScope) {}
    func tellOfSet(_ value: ValueKey, in scope: EnvironmentScope) {}
    func tellOfRemoval(_ value: ValueKey?, from scope: EnvironmentScope) {}
    func tellOfDefault(_ error: ScopeError) {}
}
