import ScopedInjection
import Synchronization
import XCTest

// ⟨TestingWithScopes.md: class ScopedTestCase⟩

final class XCTestTests: ScopedTestCase {
    private let port = Injected(\.port)

    private func assertOwnScope(_ value: Int? = 1, line: UInt = #line) {
        if let value { XCTAssertEqual(port(), value, line: line) }
        XCTAssertEqual(EnvironmentScope.current.name, name, line: line)
        XCTAssertNil(EnvironmentScope.current.parent, line: line)
        XCTAssertFalse(EnvironmentScope.current.isClosed, line: line)
    }

    override func setUp() async throws {
        await Task.yield()
        assertOwnScope()
        EnvironmentScope.current.host = "asynchronous"
    }

    override func setUp() {
        XCTAssertEqual(EnvironmentScope.current.host, "asynchronous")
        assertOwnScope()
        EnvironmentScope.current.host = "set up"
        addTeardownBlock { [name] in XCTAssertEqual(EnvironmentScope.current.name, name) }
    }

    override func tearDown() { assertOwnScope(nil) }

    override func tearDown() async throws {
        assertOwnScope(nil)
        try await super.tearDown()
        XCTAssertTrue(EnvironmentScope.current.isClosed)
    }

    func testSynchronous() {
        assertOwnScope()
        XCTAssertEqual(EnvironmentScope.current.host, "set up")
    }

    func testAsynchronous() async {
        assertOwnScope()
        await Task.yield()
        assertOwnScope()
        EnvironmentScope.current.port = 2
        async let inChild = EnvironmentScope.current.port
        let value = await inChild
        XCTAssertEqual(value, 2)
        assertOwnScope(2)
    }

    @MainActor
    func testAsynchronousOnMainActor() async throws {
        assertOwnScope()
        await Task.yield()
        MainActor.assertIsolated()
        assertOwnScope()
        let value = await Task { port() }.value
        XCTAssertEqual(value, 1)
    }

}

final class ForgottenValueTests: ScopedTestCase {
    private let failures = Mutex<[String]>([])

    private func isExpected(_ text: String) -> Bool {
        failures.withLock { $0.append(text) }
        return text.contains("limit (Int) was read in")
    }

    #if canImport(Darwin)
        override func record(_ issue: XCTIssue) {
            if !isExpected(issue.compactDescription) { super.record(issue) }
        }
    #else
        override func recordFailure(
            withDescription description: String,
            inFile path: String,
            atLine line: Int,
            expected: Bool
        ) {
            if isExpected(description) { return }
            super.recordFailure(withDescription: description, inFile: path, atLine: line, expected: expected)
        }
    #endif

    func testForgottenValueFailsTheTest() {
        XCTAssertEqual(EnvironmentScope.current.port, 1)
        XCTAssertEqual(failures.withLock { $0 }, [])
        XCTAssertEqual(EnvironmentScope.current.limit, 100)
        XCTAssertEqual(failures.withLock(\.count), 1)
    }
}
