import ScopedInjection
import ScopedInjectionTesting
import Testing

/// Runs when the scope of a case is over: stands before the scope's trait.
private struct AfterwardsTrait: TestTrait, TestScoping {
    let body: @Sendable () async -> Void

    @concurrent
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await function()
        await body()
    }
}

extension Trait where Self == AfterwardsTrait {
    fileprivate static func afterwards(_ body: @escaping @Sendable () async -> Void) -> Self {
        AfterwardsTrait(body: body)
    }
}

@Suite("Values that nothing read")
struct UnreadValueTests {
    @Test(
        "They are a warning at the test's line, by key",
        .issues { issues in
            #expect(
                issues.map(\.text) == [
                    """
                    Set for the test, but never read: HostKey, AddressKey.
                      To fix it: remove what is not needed, or find out why the code under test does not read it.
                    """
                ]
            )
            #expect(issues.first?.isFailure == false)
            #expect(issues.first?.line == issues.first?.test?.sourceLocation.line)
        },
        .scope(strictness: .warnings) { scope in
            scope.port = 1
            scope.host = "unread"
            scope.user = nil
            scope.provide(AddressKey.self) { _ in "unread" }
            scope.provide(TokenKey.self) { _ in Token(text: "read") }
        }
    )
    func unread() {
        #expect(EnvironmentScope.current.port == 1)
        #expect(EnvironmentScope.current.user == nil)
        #expect(EnvironmentScope.current.token.text == "read")
    }

    @Test(
        "They are a failure where the test is strict about them",
        .issues { issues in #expect(issues.map(\.isFailure) == [true]) },
        .scope(strictness: ScopeStrictness(unreadValues: .failures)) { $0.port = 1 }
    )
    func strict() {}

    @Test(
        "A value that is read below, elsewhere or while the values are set is read",
        .withoutIssues,
        .scope(strictness: .warnings) { scope in
            scope.port = 1
            scope.host = "read by \(scope.port)"
            scope.user = User(name: "Ada")
            scope.token = Token(text: "bound")
        }
    )
    func readSomewhere() async {
        let child = EnvironmentScope.empty("child", parent: .current)
        #expect(child.host == "read by 1")
        await withTaskGroup { group in
            group.addTask { #expect(EnvironmentScope.current.user?.name == "Ada") }
        }
        #expect(await onQueue(EnvironmentScope.current.bind { Injected(\.token.text)() }) == "bound")
    }

    @Test("A value that a builder reads is read", .withoutIssues, .scope(strictness: .warnings) { $0.port = 1 })
    func readByBuilder() { #expect(EnvironmentScope.current.address == "localhost:1") }

    @Test("A value that is read through an alias is read")
    func readThroughAlias() {
        let watch = CaseWatch { _, _ in true }
        let scope = watch.makeScope("test", parent: nil, defaults: nil)
        watch.note(.expected)
        scope.alias(AliasKey.self, to: PortKey.self)
        scope[AliasKey.self] = 1
        scope.host = "unread"
        #expect(scope[AliasKey.self] == 1)
        #expect(watch.end().unreadKeys == ["HostKey"])
    }

    @Test(
        "A value that is read only where it is overridden is not",
        .issues { issues in
            #expect(issues.map { $0.text.prefix(51) } == ["Set for the test, but never read: PortKey, HostKey."])
        },
        .scope(strictness: .warnings) {
            $0.port = 1
            $0.host = "test"
        }
    )
    func overridden() {
        let child = EnvironmentScope("child", parent: .current) { $0.port = 2 }
        child.provide(HostKey.self) { _ in "child" }
        #expect(child.port == 2)
        #expect(child.host == "child")
    }

    @Test(
        "A value that was read only before it was set anew is not",
        .issues { issues in
            #expect(issues.map { $0.text.prefix(42) } == ["Set for the test, but never read: PortKey."])
        },
        .scope(strictness: .warnings) {
            $0.port = 1
            $0.port += 1
        }
    )
    func setAnew() {}

    @Test("What the test itself sets need not be read", .withoutIssues, .scope(strictness: .warnings))
    func setInTest() { EnvironmentScope.current.port = 1 }

    @Test(
        "Of a test that throws nothing is said",
        .issues { issues in #expect(issues.map { $0.error is CancellationError } == [true]) },
        .scope(strictness: .warnings) { $0.port = 1 }
    )
    func throwing() throws { throw CancellationError() }

    @Suite(
        .withoutIssues,
        .scope(strictness: .warnings) {
            $0.port = 1
            $0.host = "suite"
        }
    )
    struct OfSuite {
        @Test("What a suite sets for all its tests need not be read by each", arguments: 0..<2)
        func unread(_ number: Int) {}

        @Suite struct Nested {
            @Test("Nor by those of a suite in it") func unread() {}
        }
    }

    @Suite(
        .issues { issues in
            #expect(issues.map { $0.text.prefix(42) } == ["Set for the test, but never read: PortKey."])
        },
        .scope(strictness: .warnings) {
            $0.port = 1
            $0.host = "suite"
        }
    )
    struct AnewInTest {
        @Test("What a test sets anew is its own", .scope(strictness: .warnings) { $0.port += 1 })
        func unread() {}
    }
}

@Suite("Reads after the end of a test")
struct LateReadTests {
    private static let late = LateReader()

    @Test(
        "A task that runs on is reported once for each reference, at its line, and reads on",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [false, false, false])
            #expect(issues.first?.text.hasPrefix("Alive after the test:") == true)
            #expect(issues.last?.line == 8)
            let issue = try #require(issues.dropFirst().first)
            #expect(
                issue.text == """
                    PortKey (Int) was read through the test's scope after the test had ended.
                      Read by: the reference at Server/Job.swift:7
                      Searched: "late"
                      To fix it: let the test await all that it starts.
                    """
            )
            #expect(issue.fileID == "Server/Job.swift")
            #expect(issue.line == 7)
            #expect(issue.test?.name == "task()")
        },
        .afterwards { #expect(await late.finish() == "1 1 1") },
        .scope("late") { $0.port = 1 }
    )
    func task() {
        let port = Injected(\.port, fileID: "Server/Job.swift", line: 7)
        let again = Injected(\.port, line: 8)
        #expect(port() == 1)
        Self.late.start { "\(port()) \(port()) \(again())" }
    }

    private static let building = LateReader()

    @Test(
        "A value that would have to be built does not end the program",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [true, true])
            #expect(issues.last?.text.hasPrefix("AddressKey (String) was read") == true)
        },
        .afterwards { #expect(await building.finish() == "localhost:1") },
        .scope(strictness: .failures) { $0.port = 1 }
    )
    func built() {
        #expect(EnvironmentScope.current.port == 1)
        Self.building.start { EnvironmentScope.current.address }
    }

    @Test("Nor does one that has to be built between the closing of the scope and the end")
    func builtWhileEnding() async throws {
        let watch = CaseWatch { _, _ in true }
        let scope = watch.makeScope("test", parent: nil, defaults: nil)
        watch.startEnding()
        await scope.close()
        #expect(try scope.value(for: AddressKey.self) == "localhost:8080")
    }

    private static let below = LateReader()

    @Test(
        "A read in a scope below is one through the test's scope",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [false, true])
            #expect(issues.first?.text.contains("The child scope \"request\".") == true)
            #expect(issues.last?.text.contains("Searched: \"request\" → \"below\"") == true)
        },
        .afterwards { #expect(await below.finish() == "1") },
        .scope("below", strictness: ScopeStrictness(lateReads: .failures)) { $0.port = 1 }
    )
    func inChild() {
        let request = EnvironmentScope("request", parent: .current) { $0.host = "own" }
        #expect(request.port == 1)
        Self.below.start { "\(request.port)" }
    }

    @Test("What a cleanup reads is in time", .withoutIssues, .scope { $0.port = 1 })
    func cleanup() {
        EnvironmentScope.current.onClose { #expect(EnvironmentScope.current.port == 1) }
    }

    @Test("Where no task tells the test, the read is offered until it is taken")
    func detached() async {
        let events = Box<[String]>([])
        let watch = CaseWatch { event, isLast in
            guard isLast, case .lateRead(let read) = event else { return false }
            events.update { $0.append("\(read.key) \(read.location?.description ?? "")") }
            return true
        }
        let scope = watch.makeScope("test", parent: nil, defaults: nil)
        scope.port = 1
        let port = Injected(\.port, fileID: "Server/Job.swift", line: 7)
        let bound = scope.bind { port() }
        #expect(await onQueue(bound) == 1)
        #expect(events.value == [])
        _ = watch.end()
        #expect(await onQueue(bound) == 1)
        #expect(await onQueue(bound) == 1)
        #expect(events.value == ["PortKey Server/Job.swift:7"])
    }
}

/// A task of a test that reads when the test is over.
private final class LateReader: Sendable {
    private let isOver = Gate()
    private let task = Box<Task<String, Never>?>(nil)

    func start(_ read: @escaping @Sendable () -> String) {
        let isOver = isOver
        let started = Task {
            await isOver.wait()
            return read()
        }
        task.update { $0 = started }
    }

    /// Lets the task read, and gives what it read.
    func finish() async -> String? {
        isOver.open()
        defer { task.update { $0 = nil } }
        return await task.value?.value
    }
}

@Suite("What outlives a test")
struct SurvivorTests {
    private static let reference = Box<Injected<Int>?>(nil)

    @Test(
        "A reference that stays bound is named by its line",
        .issues { issues in
            let issue = try #require(issues.first)
            #expect(
                issue.text == """
                    Alive after the test:
                      The test's scope "bound", held by 1 task, closure, reference or child scope.
                      The reference at Server/Client.swift:42, bound to the test's scope or one below.
                      To fix it: await the tasks that the test starts, and let go of closures, references \
                    and scopes before it ends.
                    """
            )
            #expect(issue.isFailure == false)
            #expect(issue.line == 42)
            #expect(issues.count == 1)
        },
        .afterwards { reference.update { $0 = nil } },
        .scope("bound")
    )
    func boundReference() {
        let bound = Injected(\.port, scope: .current, fileID: "Server/Client.swift", line: 42)
        Self.reference.update { $0 = bound }
    }

    private static let child = Box<EnvironmentScope?>(nil)

    @Test(
        "A child scope is named, though the test's scope is gone",
        .issues { issues in
            #expect(
                issues.map(\.text) == [
                    """
                    Alive after the test:
                      The child scope "request".
                      To fix it: await the tasks that the test starts, and let go of closures, references \
                    and scopes before it ends.
                    """
                ]
            )
            #expect(issues.first?.isFailure == true)
        },
        .afterwards { child.update { $0 = nil } },
        .scope(strictness: ScopeStrictness(survivors: .failures))
    )
    func childScope() {
        let request = EnvironmentScope.empty("request", parent: .current)
        Self.child.update { $0 = request }
    }

    private static let closure = Box<(@Sendable () -> Void)?>(nil)

    @Test(
        "A bound closure that is kept is reported",
        .issues { issues in #expect(issues.map { $0.text.contains("held by 1 task") } == [true]) },
        .afterwards { closure.update { $0 = nil } },
        .scope()
    )
    func boundClosure() {
        let bound = EnvironmentScope.current.bind {}
        Self.closure.update { $0 = bound }
    }

    @Test(
        "What the test's own values hold goes with them",
        .withoutIssues,
        .scope { scope in
            scope[ChildKey.self] = EnvironmentScope.empty("child", parent: scope)
            scope[ReferenceKey.self] = Injected(\.port)
        }
    )
    func owned() {
        let reference = EnvironmentScope.current[ReferenceKey.self]
        #expect(EnvironmentScope.current.replace(in: reference) == 1)
        #expect(reference() == 8080)
        #expect(EnvironmentScope.current[ChildKey.self].port == 8080)
    }

    @Test("Tasks, callbacks and scopes that are over are not reported", .withoutIssues, .scope { $0.port = 1 })
    func over() async {
        await Task { #expect(EnvironmentScope.current.port == 1) }.value
        await Task.detached(operation: EnvironmentScope.current.bind { #expect(Injected(\.port)() == 1) }).value
        #expect(await onQueue(EnvironmentScope.current.bind { Injected(\.port)() }) == 1)
        await EnvironmentScope.current.withChild("request") { #expect(EnvironmentScope.current.port == 1) }
        let bound = Injected(\.port, scope: .current)
        #expect(bound() == 1)
    }
}

private enum AliasKey: ScopeKey { static let defaultValue = 0 }
private enum ChildKey: ScopeKey { typealias Value = EnvironmentScope }
private enum ReferenceKey: ScopeKey { typealias Value = Injected<Int> }
