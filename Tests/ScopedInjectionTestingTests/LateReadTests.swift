import ScopedInjection
import ScopedInjectionTesting
import Testing

extension ScopeValues {
    fileprivate static var label: ScopeValue<String> { .lazy(isSafeInTests: true) { try "\($0.depth) \($0.retries)" } }
}

@Suite("Reads after the end of a test")
struct LateReadTests {
    private static let isOver = Gate()
    private static let late = Box<Task<String, Never>?>(nil)

    @Test(
        "A task that runs on is told once for each value and reference, at its line, and is given what it reads",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [false, false, false])
            #expect(issues.first?.text.hasPrefix("Alive after the test:") == true)
            let issue = try #require(issues.dropFirst().first)
            let text = """
                port (Int) was read in the test's scope, or below, after the test had ended.
                  Read by: the reference at Server/Job.swift:7
                  Searched: "late"
                  To fix it: let the test await all that it starts.
                """
            #expect(issue.text == text)
            #expect(issue.fileID == "Server/Job.swift" && issue.line == 7 && issue.test?.name == "task()")
            #expect(issues.last?.text.hasPrefix("address (String) was read") == true)
        },
        .afterwards {
            isOver.open()
            #expect(await late.value?.value == "1 1 shop.test:1")
            late.update { $0 = nil }
        },
        .scope("late") {
            $0.port = 1
            $0.host = "shop.test"
        }
    )
    func task() {
        let port = Injected(\.port, fileID: "Server/Job.swift", line: 7)
        #expect(port() == 1)
        #expect(EnvironmentScope.current.host == "shop.test")
        let task = Task {
            await Self.isOver.wait()
            // The address has to be built.
            return "\(port()) \(port()) \(EnvironmentScope.current.address)"
        }
        Self.late.update { $0 = task }
    }

    private static let isOverBelow = Gate()
    private static let lateBelow = Box<Task<[String], Never>?>(nil)
    private static let toldBelow = Box<[RecordedIssue]>([])

    private static func late(among issues: [RecordedIssue]) -> [RecordedIssue] {
        issues.filter { $0.text.contains("after the test had ended") }
    }

    @Test(
        "What reads a scope below that of the test, which is gone, is given what tests are given, and told the same",
        .issues(to: toldBelow) { issues in
            let late = late(among: issues)
            #expect(Set(late.map { $0.text.prefix { $0 != " " } }) == ["retries", "user", "depth", "label", "port"])
            #expect(late.map(\.isFailure) == Array(repeating: false, count: 5))
            #expect(late.first?.text.contains("\n  Searched: \"tenant\" → \"below\" (gone)\n") == true)
            #expect(late.first?.test?.name == "below()")
        },
        .afterwards {
            isOverBelow.open()
            let gone = """
                No value for port (Int): "below", the parent of "tenant", is gone.
                  Declared at: ScopedInjectionTestingTests/Values.swift:9
                  Searched: "tenant" → "below" (gone)
                  To fix it: let the test await all that it starts: it has ended.
                """
            #expect(await lateBelow.value?.value == ["0", "nil", "3", "3 0", gone])
            lateBelow.update { $0 = nil }
            // They are forwarded to a task that knows the test.
            while late(among: toldBelow.value).count < 5 { await Task.yield() }
        },
        .scope("below") { $0.port = 1 }
    )
    func below() {
        let tenant = EnvironmentScope("tenant") { $0.host = "tenant" }
        let task = Task.detached {
            await Self.isOverBelow.wait()
            var given = ["\(tenant.retries)", "\(tenant.user?.name ?? "nil")", "\(tenant.depth)", tenant.label]
            do { given.append("\(try tenant.value(for: \.port))") } catch { given.append("\(error)") }
            return given
        }
        Self.lateBelow.update { $0 = task }
    }

    @Suite("Through a closure that outlives the test", .serialized)
    struct OfFormerTest {
        private static let told = Box<[RecordedIssue]>([])
        private static let read = Box<(@Sendable () -> Int)?>(nil)

        @Test(.issues(to: told), .scope { $0.port = 1 }) func leavesAClosure() {
            let port = Injected(\.port, line: 7)
            let bound = EnvironmentScope.current.bind { port() }
            Self.read.update { $0 = bound }
        }

        @Test("A later test and a queue are told nothing: it is the former test's", .withoutIssues, .scope())
        func readsLater() async throws {
            let read = try #require(Self.read.value)
            #expect(read() == 1)
            #expect(await onQueue(read) == 1)
            // The scope outlives its test, too.
            var late: [RecordedIssue] { Self.told.value.filter { $0.line == 7 } }
            while late.isEmpty { await Task.yield() }
            Self.read.update { $0 = nil }
            #expect(late.map(\.test?.name) == ["leavesAClosure()"])
            #expect(late.map(\.knownTest?.name) == ["leavesAClosure()"])
        }
    }
}
