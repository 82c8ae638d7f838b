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
        "What a cleanup reads, and a scope below the global one, is reported, too",
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

    @Test(
        "A default in the global scope is not reported where the test allows defaults",
        .withoutIssues,
        .scope(defaults: .allowed)
    )
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
    @Test("The issue of a read that misses the test's scope names the value, the reference and the remedy")
    func detached() async throws {
        let process = try await TestProcess(running: "DetachedTests/givenDefault")
        #expect(process.didFail)
        let issue = try #require(process.issues.first)
        #expect(Set(process.issues.map(\.text)).count == 1)
        #expect(issue.test == nil)
        #expect(issue.fileID == "Server/Job.swift")
        #expect(issue.line == 42)
        #expect(
            issue.text.hasSuffix(
                """
                port (Int) was read in the global scope, which gave its default.
                  Read by: the reference at Server/Job.swift:42
                  Searched: "global"
                  To fix it: give the test a scope that sets it (.scope { $0.port = … }), or give it a value for tests where it \
                is declared (inTests:).
                  Called in: a detached task, or a thread or queue, so that no test is known.
                  If a test has started this work: let what starts it carry the test's scope to it \
                (EnvironmentScope.current.bind { … }).
                """
            )
        )
    }

    @Test("Without a reference it stands where the value is declared, and never in a file of the library")
    func withoutReference() async throws {
        let process = try await TestProcess(running: "DetachedTests/withoutReference")
        #expect(Set(process.issues.map(\.fileID)) == ["ScopedInjectionTestingTests/Values.swift"])
    }

    @Test("Each of two references on one line is told")
    func twoOnOneLine() async throws {
        let process = try await TestProcess(running: "DetachedTests/twoOnOneLine")
        #expect(Set(process.issues.map(\.text)).count == 2)
    }

    @Test("Another scope that becomes the global one is as the one before")
    func replaced() async throws {
        let process = try await TestProcess(running: "DetachedTests/replacing")
        #expect(Set(process.issues.map(\.line)) == [43])
    }

    @Test("Where a required value was not set there, the text says what a test writes, and how its scope is carried")
    func missing() async throws {
        let process = try await TestProcess(running: "EndingTests/detached")
        #expect(process.output.contains("\n  In the test: set it (.scope { $0.token = … }), give it"))
        #expect(
            process.output.contains(
                "\n  If a test has started this work: let what starts it carry the test's scope to it (EnvironmentScope."
            )
        )
    }

}

@Suite("A suite can make the global scope forbid defaults, or allow them")
struct GlobalDefaultsTests {
    @Test(
        "A read there that can throw throws, and what is set, safe or allowed is given",
        arguments: zip(["AbsoluteTests/", "AllowedDefaultsTests/"], ["throwing()", "giving()"])
    )
    func withoutIssue(_ suite: String, _ test: String) async throws {
        let process = try await TestProcess(running: suite)
        #expect(process.endedTests == [test])
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

}

@Suite(.inProcessOfItsOwn, .globalDefaults(.forbidden))
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

@Suite(.inProcessOfItsOwn, .globalDefaults(.allowed))
struct AllowedDefaultsTests {
    @Test func giving() { #expect(EnvironmentScope.global.port == 8080) }
}
