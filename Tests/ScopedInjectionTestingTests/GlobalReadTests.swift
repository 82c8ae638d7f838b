import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("A read in the global scope that misses a running test's scope is reported")
struct GlobalReadTests {
    @Test(
        "Given a default to the test's own code, it is a failure of the test, once for each reference",
        .issues { issues in
            #expect(issues.map(\.line) == [42, 43])
            #expect(issues.map(\.isFailure) == [true, true])
            #expect(issues.first?.test?.name == "byTest()")
            #expect(
                issues.first?.text == """
                    port (Int) was read in the global scope, which gave its default.
                      Read by: the reference at Server/Job.swift:42
                      Searched: "global"
                      To fix it: read through the scope that is current in the test's tasks, instead of the global one \
                    or one made below it.
                    """
            )
        },
        .scope()
    )
    func byTest() {
        let port = Injected(\.port, scope: .global, fileID: "Server/Job.swift", line: 42)
        #expect(port() == 8080)
        #expect(port() == 8080)
        #expect(Injected(\.port, scope: .global, line: 43)() == 8080)
    }

    @Test(
        "A value that the test has set is missed, too, also where the test allows defaults",
        .issues { issues in
            #expect(issues.map(\.line) == [7])
            #expect(
                issues.first?.text.hasPrefix(
                    "user (User?) was read in the global scope, which does not have what the test has set."
                ) == true
            )
        },
        .scope(defaults: .allowed) { $0.user = User(name: "Ada") }
    )
    func ofTest() { #expect(Injected(\.user, scope: .global, line: 7)() == nil) }

    @Test(
        "So is what a cleanup and a scope below the global one are given",
        .issues { issues in #expect(Set(issues.map(\.line)) == [7, 8]) },
        .scope()
    )
    func below() {
        let request = EnvironmentScope.empty("request", parent: .global)
        #expect(Injected(\.port, scope: request, line: 7)() == 8080)
        EnvironmentScope.current.onClose { #expect(Injected(\.port, scope: .global, line: 8)() == 8080) }
    }

    @Test(
        "What is set there, safe in tests or allowed by the test is not reported",
        .withoutIssues,
        .scope(allowing: \.limit)
    )
    func quiet() {
        #expect(EnvironmentScope("set", parent: .global) { $0.port = 1 }.port == 1)
        #expect(EnvironmentScope.global.depth == 3)
        #expect(EnvironmentScope.global.limit == 100)
        #expect(EnvironmentScope.global.user == nil)
    }

    @Test("Nor is one where the test allows defaults", .withoutIssues, .scope(defaults: .allowed))
    func allowed() { #expect(EnvironmentScope.global.port == 8080) }

    @Test(
        "In a test whose parent is the global scope, a default is reported as the test's own",
        .issues { issues in #expect(issues.map(\.value) == ["port"]) },
        .scope(parent: .global)
    )
    func belowGlobal() { #expect(EnvironmentScope.current.port == 8080) }
}

@Suite("A read in the global scope by a detached task or a queue, while tests run, fails the run")
struct DetachedReadTests {
    @Test("It names the value, the reference, the tests that may be meant and the remedy")
    func detached() async throws {
        let process = try await TestProcess(running: "DetachedTests/givenDefault")
        #expect(process.didFail)
        let issue = try #require(process.issues.first)
        #expect(process.issues.count == 1)
        #expect(issue.test == "givenDefault()")
        #expect(issue.fileID == "Server/Job.swift")
        #expect(issue.line == 42)
        #expect(!process.output.contains("«unknown»"))
        #expect(
            issue.text.hasSuffix(
                """
                port (Int) was read in the global scope, which gave its default.
                  Read by: the reference at Server/Job.swift:42
                  Searched: "global"
                  Read in: a detached task, or a thread or queue, so that no test is known.
                  Tests that may be meant: givenDefault()
                  To fix it: let what starts it carry the test's scope to it (EnvironmentScope.current.bind { … }).
                """
            )
        )
    }

    @Test("Of several tests that run, those that have set the value may be meant")
    func several() async throws {
        let process = try await TestProcess(running: "MeantTests/")
        #expect(process.didFail)
        #expect(process.issues.map(\.test) == ["setsUser()"])
        let text = try #require(process.issues.first?.text)
        #expect(text.contains("user (User?) was read in the global scope, which does not have what a "))
        #expect(text.contains("\n  Tests that may be meant: setsUser()\n"))
    }

    @Test("Without a reference it stands at the line of a test, and never in a file of the library")
    func withoutReference() async throws {
        let process = try await TestProcess(running: "DetachedTests/withoutReference")
        #expect(process.issues.map(\.fileID) == ["ScopedInjectionTestingTests/GlobalReadTests.swift"])
        #expect(process.issues.map(\.test) == ["withoutReference()"])
    }

    @Test("Each of two references on one line is told")
    func twoOnOneLine() async throws {
        let process = try await TestProcess(running: "DetachedTests/twoOnOneLine")
        #expect(process.issues.map(\.line) == [44, 44])
    }

    @Test("Another scope that becomes the global one is as the one before")
    func replaced() async throws {
        let process = try await TestProcess(running: "DetachedTests/replacing")
        #expect(process.issues.map(\.line) == [43])
    }

    @Test("Where a required value was not set there, the text names the tests that have set it, and the remedy")
    func missing() async throws {
        let process = try await TestProcess(running: "EndingTests/detached")
        #expect(process.output.contains("\n  Tests that may be meant: detached()\n"))
        #expect(
            process.output.contains(
                "\n  If a test has started this work: let what starts it carry the test's scope to it (EnvironmentScope."
            )
        )
    }

    @Test("A test can make it a warning, or turn it off")
    func lenient() async throws {
        let process = try await TestProcess(running: "DetachedTests/(warned|silent)")
        #expect(!process.didFail)
        #if compiler(>=6.3)
            #expect(process.issues.map(\.isFailure) == [false])
            #expect(process.issues.map(\.test) == ["warned()"])
        #endif
    }
}

@Suite("A suite can make the global scope forbid defaults")
struct GlobalDefaultsTests {
    @Test("A read there that can throw throws, and what is set or safe is given")
    func throwing() async throws {
        let process = try await TestProcess(running: "AbsoluteTests/")
        #expect(process.endedTests == ["throwing()"])
        #expect(process.issues == [])
        #expect(!process.didFail)
    }

    @Test("Another one ends the process, with a text that names the test")
    func ending() async throws {
        let process = try await TestProcess(running: "EndingTests/inGlobal")
        #expect(process.output.contains("Fatal error: No value for port (Int): nothing is set or provided"))
        #expect(process.output.contains("\n  Test: inGlobal() (EndingTests.swift:"))
    }
}

/// Run in processes of their own by `DetachedReadTests`.
@Suite(.inProcessOfItsOwn, .serialized)
struct DetachedTests {
    private let port = Injected(\.port, fileID: "Server/Job.swift", line: 42)

    @Test(.scope()) func givenDefault() async {
        let port = port
        #expect(await Task.detached { port() }.value == 8080)
        #expect(await onQueue { port() } == 8080)
    }

    @Test(.scope()) func twoOnOneLine() async {
        let (port, host) = (Injected(\.port, line: 44), Injected(\.host, line: 44))
        #expect(await Task.detached { "\(host()):\(port())" }.value == "localhost:8080")
    }

    @Test(.scope()) func withoutReference() async {
        #expect(await onQueue { EnvironmentScope.current.port } == 8080)
    }

    @Test(.scope()) func replacing() async {
        EnvironmentScope.global = .empty("replacement", parent: nil)
        #expect(await Task.detached { Injected(\.port, line: 43)() }.value == 8080)
    }

    @Test(.scope(strictness: ScopeStrictness(globalReads: .warnings))) func warned() async {
        let port = port
        #expect(await onQueue { port() } == 8080)
    }

    @Test(.scope(strictness: ScopeStrictness(globalReads: .off))) func silent() async {
        #expect(await onQueue { EnvironmentScope.current.host } == "localhost")
    }

}

@Suite(.inProcessOfItsOwn)
struct MeantTests {
    private static let isSet = Gate()
    private static let isRead = Gate()

    @Test(.scope { $0.user = User(name: "Ada") }) func setsUser() async {
        Self.isSet.open()
        await Self.isRead.wait()
    }

    @Test(.scope()) func setsNothing() async {
        await Self.isSet.wait()
        #expect(await onQueue { EnvironmentScope.current.user } == nil)
        Self.isRead.open()
    }
}

@Suite(.inProcessOfItsOwn, .globalDefaultsForbidden)
struct AbsoluteTests {
    @Test func throwing() async throws {
        EnvironmentScope.global.port = 1
        await Task.detached {
            #expect(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.limit) }
            #expect(EnvironmentScope.current.depth == 3)
            #expect(EnvironmentScope.current.port == 1)
        }.value
    }
}
