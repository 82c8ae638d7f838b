import ScopedInjection
import Testing

@testable import ScopedInjectionTesting

@Suite("Defaults of the global scope, read while a test forbids defaults")
struct GlobalReadTests {
    @Test(
        "Read by the test itself, they are a failure of the test, once for each place",
        .issues { issues in
            #expect(issues.map(\.line) == [42, 43])
            #expect(issues.map(\.isFailure) == [true, true])
            #expect(issues.first?.test?.name == "byTest()")
            #expect(
                issues.first?.text == """
                    limit (Int) was given by defaults of the global scope, although the test forbids defaults.
                      Read by: the reference at Server/Job.swift:42
                      Searched: "global"
                      To fix it: read through the test's scope, which is current in the test's tasks, or set the value there.
                    """
            )
        },
        .scope(defaults: .forbidden)
    )
    func byTest() {
        let limit = Injected(\.globalLimit, scope: .global, fileID: "Server/Job.swift", line: 42)
        #expect(limit() == 100)
        #expect(limit() == 100)
        #expect(Injected(\.globalLimit, scope: .global, line: 43)() == 100)
    }

    @Test("What is built while the global scope is watched does not depend on which scope is global")
    func watchIsNoInput() async {
        await #expect(processExitsWith: .success) {
            GlobalWatch.forbidDefaults()
            let app = EnvironmentScope("app", parent: .global) { $0.globalLimit = 1 }
            let builds = Box(0)
            app.provide(\.globalPage) { scope in
                builds.update { $0 += 1 }
                return "page of \(scope.globalLimit)"
            }
            let old = EnvironmentScope.global
            for scope in [old, .empty("other", parent: nil), old] {
                EnvironmentScope.global = scope
                #expect(app.globalPage == "page of 1")
            }
            #expect(builds.value == 1)
        }
    }

    @Test(
        "Read by a cleanup, they are one too",
        .issues { issues in #expect(issues.map(\.isFailure) == [true]) },
        .scope(defaults: .forbidden)
    )
    func cleanup() {
        EnvironmentScope.current.onClose { #expect(EnvironmentScope.global.globalLimit == 100) }
    }

    @Test(
        "What is built of them is one, and so is what a scope below the global one gives",
        .issues { issues in
            #expect(issues.map { $0.text.prefix { $0 != " " } } == ["page", "limit", "limit"])
        },
        .scope(defaults: .forbidden)
    )
    func built() {
        #expect(EnvironmentScope.global.globalPage == "page of 100")
        #expect(EnvironmentScope.global.globalPage == "page of 100")
        let request = EnvironmentScope.empty("request", parent: .global)
        #expect(Injected(\.globalLimit, scope: request, line: 7)() == 100)
    }

    @Test(
        "What is set, harmless or allowed is none, and nothing is one where the test forbids nothing",
        .withoutIssues,
        .scope(defaults: .forbidden, allowing: \.globalAllowed)
    )
    func noIssue() async {
        let scope = EnvironmentScope("set", parent: .global) { $0.globalLimit = 1 }
        #expect(scope.globalLimit == 1)
        #expect(EnvironmentScope.global.globalSafe == 1)
        #expect(EnvironmentScope.global.globalAllowed == 1)
    }

    @Test(
        "Where the global scope or one below it forbids defaults as well, a read that is refused is none",
        .withoutIssues,
        .scope(defaults: .forbidden)
    )
    func refused() throws {
        let strict = EnvironmentScope.empty("strict", parent: .global, defaults: .forbidden)
        let error = #expect(throws: ScopeError.self) { try strict.value(for: \.globalLimit) }
        #expect(error?.code == .defaultForbidden)
        #expect(try strict.value(for: \.globalRetries) == 0)
        #expect(try strict.value(for: \.globalRetries) == 0)
    }

    @Test("Nothing is one where the test forbids nothing", .withoutIssues, .scope())
    func allowed() { #expect(EnvironmentScope.global.globalLimit == 100) }

    @Test("Scopes made in a test lie below its scope", .withoutIssues, .scope("own", defaults: .forbidden))
    func below() throws {
        let made = EnvironmentScope.empty("made")
        #expect(made.parent === EnvironmentScope.current)
        #expect(throws: ScopeError.self) { try made.value(for: \.globalLimit) }
    }

    @Test("Where no test is known, they are a warning of the run, with the tests that then ran")
    func detached() async throws {
        let process = try await TestProcess(running: "DetachedReadTests/inDetachedTask")
        #if compiler(>=6.3)
            #expect(!process.didFail)
            let issue = try #require(process.issues.first)
            #expect(process.issues.count == 1)
            #expect(issue.test == nil)
            #expect(!issue.isFailure)
            #expect(issue.line == 42)
            #expect(
                issue.text.hasSuffix(
                    """
                    limit (Int) was given by defaults of the global scope, while tests ran that forbid defaults.
                      Read by: the reference at Server/Job.swift:42
                      Searched: "global"
                      Read in: a detached task, or a thread or queue, so that no test is known.
                      Tests then running: inDetachedTask()
                      To fix it: let what starts that work carry the scope to it (EnvironmentScope.current.bind { … }).
                    """
                )
            )
        #endif
    }

    @Test("They are told of too where the parent of the test's scope forbids defaults")
    func belowParent() async throws {
        let process = try await TestProcess(running: "DetachedReadTests/belowParent")
        #expect(process.didFail)
        #expect(process.issues.map(\.line) == [42])
    }

    @Test("It is a failure of the run where the test is strict about it")
    func strict() async throws {
        let process = try await TestProcess(running: "DetachedReadTests/strictly")
        #expect(process.didFail)
        #expect(process.issues.map(\.isFailure) == [true])
        #expect(process.issues.map(\.test) == [nil])
    }

    @Test("A suite can make the global scope forbid: nobody gets a default of it")
    func absolute() async throws {
        let process = try await TestProcess(running: "AbsoluteTests/throwing")
        #expect(!process.didFail)
        #expect(process.endedTests == ["throwing()"])
        #expect(process.issues == [])
    }

    @Test("Where a read cannot throw then, the process ends with a text that names the test")
    func absolutely() async throws {
        let process = try await TestProcess(running: "AbsoluteTests/ending")
        #expect(process.didFail)
        #expect(process.issues.map(\.test) == ["ending()"])
        #expect(process.issues.map(\.line) == [42])
        #expect(
            process.output.contains(
                """
                Fatal error: No value for limit (Int): nothing is set or provided, and "global" forbids defaults.
                  Declared at: ScopedInjectionTestingTests/GlobalReadTests.swift:
                """
            )
        )
        #expect(process.output.contains("\n  Test: ending() (GlobalReadTests.swift:"))
    }

    @Test(
        "Another scope that becomes the global one is as the one before",
        arguments: ["AbsoluteTests", "DetachedReadTests"]
    )
    func replaced(_ suite: String) async throws {
        let process = try await TestProcess(running: "\(suite)/replacing")
        #expect(process.endedTests == ["replacing()"])
        #expect(process.issues.map(\.line) == (suite == "DetachedReadTests" ? [43] : []))
    }

    @Test("A task that runs on after its case is not reported anew, and takes no report from a later case")
    func later() async throws {
        let process = try await TestProcess(running: "LaterReadTests/")
        #expect(process.issues.count == 100)
    }
}

@Suite(.inProcessOfItsOwn)
struct DetachedReadTests {
    private let limit = Injected(\.globalLimit, fileID: "Server/Job.swift", line: 42)

    @Test(.scope(defaults: .forbidden))
    func inDetachedTask() async {
        let limit = limit
        #expect(await Task.detached { limit() }.value == 100)
        #expect(await onQueue { limit() } == 100)
    }

    @Test(
        .scope(
            parent: .empty("strict", parent: nil, defaults: .forbidden),
            strictness: ScopeStrictness(globalReads: .failures)
        )
    )
    func belowParent() async {
        let limit = limit
        #expect(await Task.detached { limit() }.value == 100)
    }

    @Test(.scope(defaults: .forbidden, strictness: ScopeStrictness(globalReads: .failures)))
    func replacing() async {
        EnvironmentScope.global = .empty("replacement", parent: nil)
        #expect(await Task.detached { Injected(\.globalLimit, line: 43)() }.value == 100)
    }

    @Test(.scope(defaults: .forbidden, strictness: ScopeStrictness(globalReads: .failures)))
    func strictly() async {
        let limit = limit
        #expect(await onQueue { limit() } == 100)
    }
}

/// Cases whose tasks read when the next case has begun.
@Suite(.inProcessOfItsOwn, .serialized)
struct LaterReadTests {
    private static let latest = Box<(gate: Gate, task: Task<Int, Never>)?>(nil)

    @Test(.scope(defaults: .forbidden, strictness: .off), arguments: 0..<100)
    func reads(_ number: Int) async {
        let limit = Injected(\.globalLimit, scope: .global, line: 42)
        if let latest = Self.latest.value {
            latest.gate.open()
            #expect(await latest.task.value == 100)
        }
        #expect(limit() == 100)
        let gate = Gate()
        let task = Task {
            await gate.wait()
            return limit()
        }
        Self.latest.update { $0 = (gate, task) }
    }
}

@Suite(.inProcessOfItsOwn, .globalDefaultsForbidden)
struct AbsoluteTests {
    @Test func throwing() async throws {
        EnvironmentScope.global.port = 1
        await Task.detached {
            #expect(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.globalLimit) }
            #expect(EnvironmentScope.current.globalSafe == 1)
            #expect(EnvironmentScope.current.port == 1)
        }.value
    }

    @Test func replacing() async throws {
        EnvironmentScope.global = EnvironmentScope("replacement", parent: nil) { $0.port = 1 }
        await Task.detached {
            #expect(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.globalLimit) }
            #expect(EnvironmentScope.current.port == 1)
        }.value
    }

    @Test func ending() {
        Issue.record("went on with \(Injected(\.globalLimit, line: 42)())")
    }
}

extension ScopeValues {
    fileprivate static let globalLimit = ScopeValue(100, name: "limit")
    fileprivate static let globalPage = ScopeValue(name: "page") { "page of \($0.globalLimit)" }
    fileprivate static let globalSafe = ScopeValue(1, isSafeInTests: true)
    fileprivate static let globalRetries = ScopeValue(5, inTests: 0)
    fileprivate static let globalAllowed = ScopeValue(1)
}
