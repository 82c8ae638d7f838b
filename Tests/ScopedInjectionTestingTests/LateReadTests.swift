import ScopedInjection
import ScopedInjectionTesting
import Testing

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
