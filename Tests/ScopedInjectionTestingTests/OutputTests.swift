import ScopedInjection
import ScopedInjectionTesting
import Testing

/// Tests that are told of something.
///
/// `OutputTests` runs them in a process of their own.
@Suite(.inProcessOfItsOwn)
struct ToldTests {
    @Test(.scope("told", defaults: .forbidden))
    func forbiddenDefault() {
        let port = Injected(\.port, line: 42)
        #expect(port() == 8080)
    }

    static let lineOfUnreadValue = #line + 1
    @Test(.scope("told", strictness: ScopeStrictness(unreadValues: .warnings)) { $0.port = 1 })
    func unreadValue() {}

    @Test(.scope { $0.port = 1 })
    func nothing() {}
}

@Suite("What Swift Testing is told")
struct OutputTests {
    @Test("A failure at the line of the reference, and a warning at the line of the test, each in the right test")
    func told() async throws {
        let process = try await TestProcess(running: "ToldTests/")
        #expect(process.didFail)
        #expect(process.endedTests.sorted() == ["forbiddenDefault()", "nothing()", "unreadValue()"])
        let failure = try #require(process.issues.first { $0.test == "forbiddenDefault()" })
        #expect(failure.isFailure)
        #expect(failure.fileID == "ScopedInjectionTestingTests/OutputTests.swift")
        #expect(failure.line == 42)
        #expect(failure.text.contains("No value for PortKey (Int): nothing is set or provided"))
        #if compiler(>=6.3)
            #expect(process.issues.count == 2)
            let warning = try #require(process.issues.first { $0.test == "unreadValue()" })
            #expect(!warning.isFailure)
            #expect(warning.line == ToldTests.lineOfUnreadValue)
        #endif
    }
}
