import ScopedInjection
import Testing

/// Watches the global scope and other roots that no trait made, and what lies below them, for the whole process.
///
/// What it notices is an issue of the running test. Where no test is known (in a detached task, on a queue), it is one of
/// the run. The core finds it by its name, so neither may change alone.
final class GlobalWatch: TestHook {
    private static let shared = GlobalWatch()
    static var watch: any ScopeWatch {
        XCTestWatch.begin()
        return shared
    }

    private static let policy = Guarded(DefaultsPolicy?.none)
    static var policyOfRoots: DefaultsPolicy { policy.withLock { $0 } ?? .reported }

    /// Says the policy of roots; returns what was said before, of which the stricter counts.
    static func say(_ policy: DefaultsPolicy) -> DefaultsPolicy? {
        let former = self.policy.withLock { known in
            defer { if known != .forbidden, known != .reported || policy == .forbidden { known = policy } }
            return known
        }
        EnvironmentScope.global.setDefaults(policyOfRoots)
        return former
    }

    /// Whether the task sets what all tests of the process are to find.
    @TaskLocal static var isSettingForAll = false

    private let told = Guarded(Set<Told>())

    private struct Told: Hashable, Sendable {
        let test: Test.ID?
        /// Describes the arguments of the test.
        let testCase: String?
        let text: String
    }

    static func record(_ lines: [String], at place: ScopeError.Location) {
        shared.report(lines, at: place, as: .failures)
    }

    private static var linesOfUnknown: [String] {
        if isInExitTest { return ["  Called in: an exit test, which no trait reaches: enter a scope there."] }
        return [
            "  Called in: a detached task, or a thread or queue, so that no test is known.",
            """
              If a test has started this work: let what starts it carry the test's scope to it \
            (EnvironmentScope.current.bind { … }).
            """,
        ]
    }

    /// Whether the process runs the body of an exit test, and nothing else.
    private static var isInExitTest: Bool {
        #if os(macOS) || os(Linux) || os(FreeBSD) || os(OpenBSD) || os(Windows)
            ExitTest.current != nil
        #else
            false
        #endif
    }

    /// Reports an issue of the running test, or of the run.
    ///
    /// - Parameters:
    ///   - place: That of the reference.
    ///   - other: The place where neither a reference nor the test is known.
    ///   - level: How it counts; nil for what happens in the global scope.
    ///   - wanted: A case that has what was missed.
    ///   - text: What is told once for the running case of a test; nil for what is told each time.
    private func report(
        _ lines: [String],
        at place: ScopeError.Location?,
        near other: ScopeError.Location? = nil,
        as level: ScopeStrictness?,
        once text: String? = nil,
        missing wanted: ScopedCase? = nil
    ) {
        let test = Test.current
        let own = ScopedCase.current
        let level = level ?? own?.strictness ?? .failures
        if level == .off { return }
        let isUnknown = test == nil && own == nil
        if let text, let own, test == nil {
            guard own.isNew(.inRoot(text)) else { return }
        } else if let text {
            let testCase = Test.Case.current.map { "\($0)" } ?? XCTestWatch.nameOfTest
            let told = Told(test: test?.id, testCase: testCase, text: text)
            guard self.told.withLock({ $0.insert(told).inserted }) else { return }
        }
        if isUnknown, wanted == nil { XCTestWatch.record(lines, at: place ?? other, isFailure: level == .failures) }
        let issue = ScopeIssue(
            isUnknown ? lines + Self.linesOfUnknown : lines,
            of: test,
            at: test == nil ? place ?? other : place,
            near: test?.sourceLocation,
            isFailure: level == .failures
        )
        // Arguments are made before the tests run, when Swift Testing drops issues.
        if let test, Test.Case.current == nil { print("error: \(test.name): \(issue.text)") }
        // Swift Testing tells an issue of no test once for each suite that is serialized.
        if let running = own ?? wanted { running.deliver(issue) } else { ScopeIssue.reporter.take(issue) }
    }
}

// MARK: - Reads

extension GlobalWatch: ScopeWatch {
    func tellOfRead(_ read: WatchedRead) {
        let own = ScopedCase.current
        if let own, read.scope.isGlobal, own.has(read.value) {
            return report(read.value, read, "which does not have what the test's scope has.", in: own)
        }
        var defaults: [ValueKey] = []
        if own?.policy != .allowed, Self.policyOfRoots != .allowed, read.scope.defaults == .reported {
            defaults = read.liveDefaults
        }
        let wanted = own == nil && Test.current == nil ? ScopedCase.running(with: read.value) : nil
        for value in defaults where own?.allowed.contains(value) != true {
            report(value, read, "which gave its default.", in: own, missing: wanted)
        }
        // A warning, because tests that run at once would make a failure that comes and goes.
        guard defaults.isEmpty, read.scope.isGlobal, let wanted else { return }
        let fact = "which does not have what the scope of \(wanted.title) has."
        report(read.value, read, fact, in: nil, missing: wanted, as: .warnings)
    }

    private func report(
        _ value: ValueKey,
        _ read: WatchedRead,
        _ fact: String,
        in own: ScopedCase?,
        missing wanted: ScopedCase? = nil,
        as level: ScopeStrictness? = nil
    ) {
        let isPart = EnvironmentScope.isChangingPart && !read.isInBuilder && value == read.value
        let lines =
            isPart ? ScopedCase.lines(ofPart: value, read.searched) : Self.lines(of: value, read, fact, own)
        report(
            lines,
            at: read.reference,
            near: value.location,
            as: level,
            once: "\(value.name) \(fact) \(read.reference?.description ?? "")",
            missing: wanted
        )
    }

    private static func lines(of value: ValueKey, _ read: WatchedRead, _ fact: String, _ own: ScopedCase?) -> [String] {
        let isGlobal = read.isBelowGlobal
        let root = isGlobal ? "the global scope" : read.searched.texts.last ?? "a scope"
        var lines = ["\(value.name) (\(value.valueName)) was read in \(root), \(fact)"]
        if let place = read.reference { lines.append("  Read by: the reference at \(place)") }
        lines.append("  Searched: \(read.searched)")
        if !isGlobal {
            lines.append(
                """
                  To fix it: set it there, or let the test make that scope and set it below \
                (.scope(parent: …) { \(ScopedCase.assignment(value.codeMember)) }); or give it a value for tests where it is \
                declared (inTests:), or say there that its default harms none (isSafeInTests: true).
                """
            )
        } else if own != nil {
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
        return test + ScopedCase.linesOfSetting(error) + (test.isEmpty ? Self.linesOfUnknown.suffix(1) : [])
    }
}

// MARK: - Writes

extension GlobalWatch {
    func tellOfSet(_ value: ValueKey, in scope: EnvironmentScope) {
        tellOfChange(of: value, in: scope, "set or provided")
    }

    func tellOfRemoval(_ value: ValueKey, from scope: EnvironmentScope) {
        tellOfChange(of: value, in: scope, "removed")
    }

    private func tellOfChange(of value: ValueKey, in scope: EnvironmentScope, _ verb: String) {
        guard scope.isGlobal else { return }
        let setting = ScopedCase.assignment(value.codeMember)
        reportChange(
            "\(value.name) (\(value.valueName)) was \(verb) in the global scope, which all tests of the process share, later ones too.",
            """
            change it in a scope of the test (.scope { \(setting) }), or for all tests by a trait \
            (.globalValues { \(setting) }).
            """,
            near: value
        )
    }

    func tellOfReplacement(by scope: EnvironmentScope) {
        reportChange(
            "\(scope.displayName) became the global scope, which all tests of the process share, later ones too.",
            "enter it in the test (scope { … }), or set for all tests what it has (.globalValues { … }).",
            near: nil
        )
    }

    private func reportChange(_ fact: String, _ remedy: String, near value: ValueKey?) {
        if Self.isSettingForAll || Self.isInExitTest || Self.policyOfRoots == .allowed { return }
        // What puts back what was there before is no second one.
        let text = "\(value?.name ?? "") changed"
        report([fact, "  To fix it: \(remedy)"], at: nil, near: value?.location, as: nil, once: text)
    }
}

// MARK: - Ends

extension GlobalWatch {
    func tellOfLeftUnclosed(_ scope: EnvironmentScope, _ cleanup: ScopeError.Location) {
        if let own = ScopedCase.current { return own.tellOfLeftUnclosed(scope, cleanup) }
        if Self.policyOfRoots == .allowed { return }
        report(ScopedCase.lines(ofUnclosed: scope, cleanup), at: nil, near: cleanup, as: .failures)
    }

    func tellOfLateBuild(of value: ValueKey, in scope: EnvironmentScope) {
        ScopedCase.current?.tellOfLateBuild(of: value, in: scope)
    }

    func tellOfCleanupFailure(_ failure: ScopeEvent, in scope: EnvironmentScope) {
        ScopedCase.current?.tellOfCleanupFailure(failure, in: scope)
    }

    var scopeOfEnded: EnvironmentScope? { nil }
    func tellOfChild(_ scope: EnvironmentScope) {}
    func tellOfReference(_ reference: any WatchedReference) {}
    func tellOfRole(of value: ValueKey, in scope: EnvironmentScope) {}
    func tellOfDefault(_ error: ScopeError, builtFrom inputs: [Input], for around: [ValueKey]) {}
    func tellOfRefusal(_ error: ScopeError, isNil: Bool) { ScopedCase.current?.tellOfRefusal(error, isNil: isNil) }
}
