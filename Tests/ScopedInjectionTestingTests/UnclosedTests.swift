import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("R11, R16: a scope with cleanups that goes away unclosed fails the test before anything detached begins")
struct UnclosedTests {
    @Test("Each of forty tests fails, whether its scope is below the test's or a root, and whatever its cleanup")
    func always() async throws {
        let process = try await TestProcess(running: "LeavingUnclosed/")
        #expect(process.caseCount == 160)
        let failed = Dictionary(grouping: process.issues.filter(\.isFailure)) { $0.test }.mapValues(\.count)
        #expect(failed == ["child(_:)": 40, "awaiting(_:)": 40, "root(_:)": 40, "ofValue(_:)": 40])
        let text = """
            "root" went away without having been closed, and nothing waits for its cleanups.
              The last of them: ScopedInjectionTestingTests/UnclosedTests.swift:\(LeavingUnclosed.lineOfRoot)
              To fix it: close it (await scope.close()), or make it with withChild.
            """
        #expect(process.issues.first { $0.test == "root(_:)" }?.text.hasSuffix(text) == true)
    }
}

extension ScopeValues {
    fileprivate static var pool: ScopeValue<Int> {
        .lazy(isSafeInTests: true) { reader in
            reader.onClose { await Task.yield() }
            return 1
        }
    }
}

/// Run in a process of its own by `UnclosedTests`.
@Suite(.inProcessOfItsOwn)
struct LeavingUnclosed {
    @Test(.scope(), arguments: 0..<40) func child(_ number: Int) {
        EnvironmentScope("child") { $0.onClose {} }.port = 1
    }

    @Test(.scope(), arguments: 0..<40) func awaiting(_ number: Int) {
        EnvironmentScope("child") { $0.onClose { await Task.yield() } }.port = 1
    }

    static let lineOfRoot = #line + 2
    @Test(arguments: 0..<40) func root(_ number: Int) {
        EnvironmentScope("root", parent: nil) { $0.onClose { await Task.yield() } }.port = 1
    }

    @Test(arguments: 0..<40) func ofValue(_ number: Int) {
        #expect(EnvironmentScope.empty("app", parent: nil).pool == 1)
    }
}
