import ScopedInjection
import ScopedInjectionTesting
import Testing

extension ScopeValues {
    fileprivate static var session: ScopeValue<Session> { .lazy(isSafeInTests: true) { _ in Session() } }
}

private final class Session: Sendable {}

@Suite("A read in the global scope that misses a running test's scope is reported")
struct GlobalReadTests {
    private static let process = Task { try await TestProcess(running: "GlobalReads/") }

    @Test("Given a default to the test's own code, it is a failure of the test, once for each reference")
    func byTest() async throws {
        let issues = try await Self.process.issues(of: "byTest()")
        #expect(issues.map(\.line) == [42, 43] && issues.map(\.isFailure) == [true, true])
        let text = """
            port (Int) was read in the global scope, which gave its default.
              Read by: the reference at Server/Job.swift:42
              Searched: "global"
              To fix it: read through the scope that is current in the test's tasks, instead of the global one \
            or one made below it.
            """
        #expect(issues.first?.text.hasSuffix(text) == true)
    }

    @Test(
        "A value that the test's scope has set or keeps is missed, too, whatever its default, also where the test allows defaults",
        arguments: [("ofTest()", 7, "user (User?)"), ("kept()", 8, "session (Session)")]
    )
    func ofTest(_ test: String, line: Int, value: String) async throws {
        let issues = try await Self.process.issues(of: test)
        #expect(issues.map(\.line) == [line] && issues.map(\.isFailure) == [true])
        let fact = "\(value) was read in the global scope, which does not have what the test's scope has."
        #expect(issues.first?.text.contains(fact) == true)
    }

    @Test("What a cleanup reads, and a scope below the global one, is reported, too")
    func below() async throws { #expect(Set(try await Self.process.issues(of: "below()").map(\.line)) == [17, 18]) }

    @Test("In a test whose parent is the global scope, a default is reported as the test's own")
    func belowGlobal() async throws {
        let issues = try await Self.process.issues(of: "belowGlobal()")
        #expect(issues.count == 1)
        #expect(issues.first?.text.contains("port (Int) was not set, and the test was given its default.") == true)
    }

    @Test("What is safe in tests, allowed by the test, or set in a scope below the global one is not reported")
    func quiet() async throws {
        #expect(try await Self.process.value.endedTests.contains("quiet()"))
        #expect(try await Self.process.issues(of: "quiet()") == [])
        #expect(try await Self.process.issues(of: "allowed()") == [])
    }

    @Test("Where the reader's test is not known, it is a warning, if the scope of any running test has the value")
    func unknown() async throws {
        let process = try await TestProcess(running: "UnknownReads/")
        #expect(!process.didFail && process.issues.map(\.isFailure) == [false])
        #expect(process.issues.map(\.line) == [9])
        let text = """
            session (Session) was read in the global scope, which does not have what the scope of reads() has.
              Read by: the reference at Server/Job.swift:9
              Searched: "global"
              To fix it: give the test a scope that sets it (.scope { $0.session = … }), or give it a value for tests
            """
        #expect(process.issues.first?.text.contains(text) == true)
    }
}

/// Run in a process of its own by `GlobalReadTests`.
@Suite(.inProcessOfItsOwn)
struct GlobalReads {
    @Test(.scope()) func byTest() {
        let port = Injected(\.port, scope: .global, fileID: "Server/Job.swift", line: 42)
        #expect(port() == 8080 && port() == 8080)
        #expect(Injected(\.port, scope: .global, line: 43)() == 8080)
    }

    @Test(.scope(defaults: .allowed) { $0.user = User(name: "Ada") }) func ofTest() {
        #expect(Injected(\.user, scope: .global, line: 7)() == nil)
    }

    @Test(.scope()) func kept() {
        let session = EnvironmentScope.current.session
        #expect(Injected(\.session, scope: .global, line: 8)() !== session)
    }

    @Test(.scope()) func below() {
        let request = EnvironmentScope.empty("request", parent: .global)
        #expect(Injected(\.port, scope: request, line: 17)() == 8080)
        EnvironmentScope.current.onClose { #expect(Injected(\.port, scope: .global, line: 18)() == 8080) }
    }

    @Test(.scope(allowing: \.limit)) func quiet() {
        #expect(EnvironmentScope("set", parent: .global) { $0.port = 1 }.port == 1)
        #expect(EnvironmentScope.global.depth == 3 && EnvironmentScope.global.limit == 100)
        #expect(EnvironmentScope.global.user == nil)
    }

    @Test(.scope(defaults: .allowed)) func allowed() { #expect(EnvironmentScope.global.port == 8080) }

    @Test(.scope(parent: .global)) func belowGlobal() { #expect(EnvironmentScope.current.port == 8080) }
}

/// Run in a process of its own by `GlobalReadTests`.
@Suite(.inProcessOfItsOwn)
struct UnknownReads {
    @Test(.scope()) func reads() async {
        let session = EnvironmentScope.current.session
        let other = Injected(\.session, fileID: "Server/Job.swift", line: 9)
        #expect(await Task.detached { other() }.value !== session)
        #expect(await Task.detached { EnvironmentScope.current.depth }.value == 3)
    }
}

@Suite("A read in the global scope by a detached task or a queue, while tests run, fails the run")
struct DetachedReadTests {
    @Test("The issue of a read that misses the test's scope names the value, the reference and the remedy")
    func detached() async throws {
        let process = try await TestProcess(running: "DetachedTests/givenDefault")
        #expect(process.didFail)
        let issue = try #require(process.issues.first)
        #expect(Set(process.issues.map(\.text)).count == 1)
        #expect(issue.test == nil && issue.fileID == "Server/Job.swift" && issue.line == 42)
        let text = """
            port (Int) was read in the global scope, which gave its default.
              Read by: the reference at Server/Job.swift:42
              Searched: "global"
              To fix it: give the test a scope that sets it (.scope { $0.port = … }), or give it a value for tests where it \
            is declared (inTests:).
              Called in: a detached task, or a thread or queue, so that no test is known.
              If a test has started this work: let what starts it carry the test's scope to it \
            (EnvironmentScope.current.bind { … }).
            """
        #expect(issue.text.hasSuffix(text))
    }

    @Test("Without a reference it stands where the value is declared, and never in a file of the library")
    func withoutReference() async throws {
        let process = try await TestProcess(running: "DetachedTests/withoutReference")
        #expect(Set(process.issues.map(\.fileID)) == ["ScopedInjectionTestingTests/Values.swift"])
    }

    @Test("Each of two references on one line is told") func twoOnOneLine() async throws {
        let process = try await TestProcess(running: "DetachedTests/twoOnOneLine")
        #expect(Set(process.issues.map(\.text)).count == 2)
    }

    @Test("Another scope that becomes the global one is as the one before") func replaced() async throws {
        let process = try await TestProcess(running: "DetachedTests/replacing")
        #expect(Set(process.issues.filter { $0.test == nil }.map(\.line)) == [43])
    }

    @Test("Where a required value was not set there, the text says what a test writes, and how its scope is carried")
    func missing() async throws {
        let process = try await TestProcess(running: "EndingTests/detached")
        #expect(process.output.contains("\n  In the test: set it (.scope { $0.token = … }), give it"))
        let text =
            "\n  If a test has started this work: let what starts it carry the test's scope to it (EnvironmentScope."
        #expect(process.output.contains(text))
    }

}

@Suite("A suite can make the global scope forbid defaults, or allow them")
struct GlobalDefaultsTests {
    @Test(
        "A read there that can throw throws, and what is safe or allowed is given",
        arguments: zip(["AbsoluteTests/", "AllowedDefaultsTests/"], ["throwing()", "giving()"])
    )
    func withoutIssue(_ suite: String, _ test: String) async throws {
        let process = try await TestProcess(running: suite)
        #expect(process.endedTests == [test] && process.issues == [])
        #expect(!process.didFail)
    }

    @Test("Another one ends the process, with a text that names the test") func ending() async throws {
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

    @Test(.scope()) func withoutReference() async { #expect(await onQueue { EnvironmentScope.current.port } == 8080) }

    @Test(.scope()) func replacing() async {
        EnvironmentScope.global = .empty("replacement", parent: nil)
        #expect(await Task.detached { Injected(\.port, line: 43)() }.value == 8080)
    }

}

@Suite(.inProcessOfItsOwn, .globalDefaults(.forbidden))
struct AbsoluteTests {
    @Test func throwing() async throws {
        await Task.detached {
            #expect(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.limit) }
            #expect(EnvironmentScope.current.depth == 3)
        }.value
    }
}

@Suite(.inProcessOfItsOwn, .globalDefaults(.allowed))
struct AllowedDefaultsTests {
    @Test func giving() { #expect(EnvironmentScope.global.port == 8080) }
}
