import ScopedInjection
import ScopedInjectionTesting
import Testing

extension ScopeValues {
    fileprivate static var server: ScopeValue<String> { .lazy(isSafeInTests: true) { "port \(try $0.port)" } }
    fileprivate static func server(_ number: Int) -> ScopeValue<String> {
        .lazy(isSafeInTests: true, id: number) { "port \(try $0.port)" }
    }
}

/// What a program makes, and a test calls.
private func makeApp(defaults: DefaultsPolicy? = nil) -> EnvironmentScope {
    EnvironmentScope("app", parent: nil, defaults: defaults) { $0.host = "shop.test" }
}

@Suite("R16: a scope without a parent that names no policy is reported in a test, as the global one is")
struct RootTests {
    private static let process = Task { try await TestProcess(running: "Roots/") }

    @Test("A live default that makeApp() gives fails the test at the line of the reference, with the trait and without")
    func live() async throws {
        for (test, line) in [("withTrait()", 21), ("withoutTrait()", 22), ("entered()", 23), ("decorated()", 25)] {
            let issues = try await Self.process.issues(of: test)
            #expect(issues.map(\.line) == [line] && issues.map(\.isFailure) == [true])
        }
        let text = """
            port (Int) was read in "app", which gave its default.
              Read by: the reference at Server/App.swift:21
              Searched: "app"
              To fix it: set it there, or let the test make that scope and set it below (.scope(parent: …) { $0.port = … }); \
            or give it a value for tests where it is declared (inTests:), or say there that its default harms none (isSafeInTests: true).
            """
        #expect(try await Self.process.issues(of: "withTrait()").first?.text.hasSuffix(text) == true)
    }

    @Test("A member is reported at the line of the test") func member() async throws {
        let issues = try await Self.process.issues(of: "member()")
        #expect(issues.map(\.fileID) == ["ScopedInjectionTestingTests/RootTests.swift"])
        #expect(issues.map(\.line) == [Roots.lineOfMember])
    }

    @Test("What is set, safe, optional or for tests is given without a report, with defaults: .allowed everything")
    func quiet() async throws {
        for test in ["givesWhatIsForTests()", "isAllowed()", "isParent()"] {
            #expect(try await Self.process.value.endedTests.contains(test))
            #expect(try await Self.process.issues(of: test) == [])
        }
    }

    @Test("As the parent of a test's scope it gives what the test has not set, and a live default is the test's own")
    func parent() async throws {
        let issues = try await Self.process.issues(of: "isParentWithDefault()")
        #expect(issues.count == 1)
        #expect(issues.first?.text.contains("port (Int) was not set, and the test was given its default.") == true)
    }

    @Test(
        "Each test and each argument is told, whichever came first to what a shared parent or root keeps",
        arguments: ["sharedParent(_:)", "sharedRoot(_:)", "sharedService(_:)"]
    )
    func shared(_ test: String) async throws {
        let issues = try await Self.process.issues(of: test)
        #expect(issues.count == 3)
        #expect(issues.allSatisfy { $0.isFailure && $0.text.contains("port (Int) was ") })
    }

    @Test("So is each that reads what another one is just building") func sharedBuilds() async throws {
        #expect(try await Self.process.issues(of: "sharedBuilds(_:)").count == Roots.readers)
    }

    @Test("In an exit test a write is no issue, since nobody shares the process; a read says where to enter a scope")
    func exitTest() async throws {
        #expect(try await Self.process.issues(of: "writesInExitTest()") == [])
        let process = try await TestProcess(running: "ExitingRoots/")
        #expect(process.didFail)
        #expect(process.output.contains("  Called in: an exit test, which no trait reaches: enter a scope there."))
    }

    @Test("Where no test is known, it fails the run") func unknown() async throws {
        let process = try await TestProcess(running: "DetachedRoots/")
        #expect(process.didFail && process.issues.map(\.test) == [nil])
        #expect(process.issues.map(\.line) == [24])
    }

    @Test("Where traits say different policies for all roots, the stricter counts, and that is an issue")
    func contradicting() async throws {
        let process = try await TestProcess(running: "ContradictingTraits/")
        #expect(process.didFail && process.issues.count == 1)
        let text = try #require(process.issues.first?.text)
        #expect(text.contains("Traits of this process say .globalDefaults(."))
        #expect(text.contains("; the stricter counts.\n  To fix it: say one of them."))
    }

    @Test("A suite can let them give defaults without a word, in the whole process", .programRoots, .withoutIssues)
    func allowed() { #expect(makeApp().port == 8080 && makeApp().retries == 5) }
}

extension Trait where Self == GlobalDefaultsTrait {
    fileprivate static var programRoots: GlobalDefaultsTrait { .globalDefaults(.allowed) }
}

/// Run in a process of its own by `RootTests`.
@Suite(.inProcessOfItsOwn)
struct Roots {
    @Test(.scope { $0.port = 1 }) func withTrait() {
        #expect(Injected(\.port, scope: makeApp(), fileID: "Server/App.swift", line: 21)() == 8080)
    }

    @Test func withoutTrait() { #expect(Injected(\.port, scope: makeApp(), line: 22)() == 8080) }

    @Test(.scope()) func entered() {
        let app = makeApp()
        app { #expect(Injected(\.port, line: 23)() == 8080) }
    }

    static let lineOfMember = #line + 1
    @Test func member() { #expect(makeApp().port == 8080) }

    @Test func givesWhatIsForTests() {
        let app = makeApp()
        #expect(app.retries == 0 && app.host == "shop.test")
        #expect(app.depth == 3 && app.user == nil)
    }

    @Test func decorated() {
        let app = makeApp()
        app.decorate(\.port) { port, _ in port + 1 }
        #expect(Injected(\.port, scope: app, line: 25)() == 8081)
    }

    private static let sharedApp = makeApp()

    @Test(.scope(parent: sharedApp), arguments: 0..<3) func sharedParent(_ number: Int) {
        #expect(EnvironmentScope.current.server == "port 8080")
    }

    @Test(arguments: 0..<3) func sharedRoot(_ number: Int) { #expect(Self.sharedApp.port == 8080) }

    @Test(arguments: 0..<3) func sharedService(_ number: Int) { #expect(Self.sharedApp.server == "port 8080") }

    static let readers = 600

    /// Three cases read each value.
    @Test(arguments: 0..<readers) func sharedBuilds(_ number: Int) {
        #expect(Self.sharedApp[ScopeValues.server(number / 3)] == "port 8080")
    }

    @Test func writesInExitTest() async {
        await #expect(processExitsWith: .success) {
            EnvironmentScope.global { $0.port = 9090 }
            EnvironmentScope.global = .empty("mine", parent: nil)
        }
    }

    @Test(.scope { $0.port = 1 }) func isAllowed() { #expect(makeApp(defaults: .allowed).port == 8080) }

    @Test(.scope(parent: makeApp()) { $0.port = 1 }) func isParent() {
        #expect(EnvironmentScope.current.address == "shop.test:1")
    }

    @Test(.scope(parent: makeApp())) func isParentWithDefault() { #expect(EnvironmentScope.current.port == 8080) }
}

/// Run in a process of its own by `RootTests`.
@Suite(.inProcessOfItsOwn)
struct ExitingRoots {
    @Test func reads() async { await #expect(processExitsWith: .success) { #expect(makeApp().port == 8080) } }
}

/// Run in a process of its own by `RootTests`.
@Suite(.inProcessOfItsOwn)
struct DetachedRoots {
    @Test func reads() async {
        let port = Injected(\.port, scope: makeApp(), line: 24)
        #expect(await Task.detached { port() }.value == 8080)
    }
}

/// Run in a process of its own by `RootTests`.
@Suite(.inProcessOfItsOwn)
struct ContradictingTraits {
    @Test(.inProcessOfItsOwn, .globalDefaults(.allowed)) func allows() {}

    @Test(.inProcessOfItsOwn, .globalDefaults(.forbidden)) func forbids() {
        #expect(throws: ScopeError.self) { try makeApp().value(for: \.port) }
    }
}
