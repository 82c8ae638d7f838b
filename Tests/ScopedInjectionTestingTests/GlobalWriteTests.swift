import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("R16: what is written in the global scope while tests run is an issue, once for each value")
struct GlobalWriteTests {
    private static let process = Task { try await TestProcess(running: "GlobalWrites/") }

    @Test("A set without a trait fails the test, with the remedy, once for each value") func set() async throws {
        let issues = try await Self.process.issues(of: "sets()")
        #expect(issues.map(\.isFailure) == [true, true])
        #expect(
            issues.map(\.fileID) == Array(repeating: "ScopedInjectionTestingTests/GlobalWriteTests.swift", count: 2)
        )
        let text = """
            port (Int) was set or provided in the global scope, which all tests of the process share, later ones too.
              To fix it: change it in a scope of the test (.scope { $0.port = … }), or for all tests by a trait \
            (.globalValues { $0.port = … }).
            """
        #expect(issues.first?.text.hasSuffix(text) == true)
        #expect(issues.last?.text.contains("user (User?) was set or provided in the global scope") == true)
    }

    @Test(
        "So does each other change, and a replacement",
        arguments: [
            ("removes()", "host (String) was removed in"), ("updates()", "port (Int) was set or provided in"),
            ("replaces()", "\"mine\" became"),
        ]
    )
    func others(_ test: String, fact: String) async throws {
        let issues = try await Self.process.issues(of: test)
        #expect(issues.count == 1)
        #expect(issues.first?.text.contains("\(fact) the global scope, which all tests of the process share") == true)
    }

    @Test("On a detached task it fails the run, at the place of the declaration") func unknown() async throws {
        let issues = try await Self.process.issues(of: nil)
        #expect(Set(issues.map(\.fileID)) == ["ScopedInjectionTestingTests/Values.swift"])
        #expect(Set(issues.map(\.isFailure)) == [true])
        #expect(issues.first?.text.contains("limit (Int) was set or provided in the global scope") == true)
    }

    @Test("A change of a scope of the test's own, or below the global one, is none; strictness may turn it off")
    func quiet() async throws {
        for test in ["setsBelow()", "isAllowedTo()"] {
            #expect(try await Self.process.value.endedTests.contains(test))
            #expect(try await Self.process.issues(of: test) == [])
        }
    }

    @Test("A trait sets values for all tests of the process, before the first runs, and once")
    func forAll() async throws {
        let process = try await TestProcess(running: "ValuesForAll/")
        #expect(process.issues == [] && !process.didFail)
        #expect(Set(process.endedTests) == ["reads()", "readsDetached()"])
    }
}

/// Run in a process of its own by `GlobalWriteTests`.
@Suite(.inProcessOfItsOwn, .serialized)
struct GlobalWrites {
    @Test func sets() {
        EnvironmentScope.current.port = 1
        EnvironmentScope.current.port = 2
        EnvironmentScope.global.user = nil
        // What puts back what was there before is no second issue.
        EnvironmentScope.global.removeValue(for: \.port)
    }

    @Test func removes() { EnvironmentScope.global.removeValue(for: \.host) }
    @Test func updates() throws { try EnvironmentScope.global.update { $0.port = 1 } }
    @Test(.scope()) func setsDetached() async { await Task.detached { EnvironmentScope.current.limit = 1 }.value }

    @Test func setsBelow() {
        EnvironmentScope.empty("below").port = 1
        EnvironmentScope.empty("app", parent: nil).port = 1
    }

    @Test(.scope(strictness: .off)) func isAllowedTo() { EnvironmentScope.global.token = Token(text: "a") }

    @Test func replaces() {
        let former = EnvironmentScope.global
        EnvironmentScope.global = .empty("mine", parent: nil)
        EnvironmentScope.global = former
    }
}

private let callsOfTrait = Box(0)

/// Run in a process of its own by `GlobalWriteTests`.
@Suite(
    .inProcessOfItsOwn,
    .globalValues {
        callsOfTrait.update { $0 += 1 }
        $0.limit = 100 + callsOfTrait.value
    }
)
struct ValuesForAll {
    @Test func reads() { #expect(EnvironmentScope.current.limit == 101) }
    @Test(.scope()) func readsDetached() async {
        #expect(await Task.detached { EnvironmentScope.current.limit }.value == 101)
    }
}
