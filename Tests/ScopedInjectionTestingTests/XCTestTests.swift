import ScopedInjection
import XCTest

/// The way to give each test of a class its own scope.
class ScopedTestCase: XCTestCase {
    override func invokeTest() {
        let scope = EnvironmentScope(name, parent: nil) { $0.port = 1 }
        scope { super.invokeTest() }
    }

    override func tearDown() async throws { await EnvironmentScope.current.close() }
}

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

    override func setUpWithError() throws {
        XCTAssertEqual(EnvironmentScope.current.host, "asynchronous")
        assertOwnScope()
        EnvironmentScope.current.host = "throwing"
    }

    override func setUp() {
        XCTAssertEqual(EnvironmentScope.current.host, "throwing")
        assertOwnScope()
        EnvironmentScope.current.host = "set up"
        addTeardownBlock { [name] in XCTAssertEqual(EnvironmentScope.current.name, name) }
    }

    override func tearDown() { assertOwnScope(nil) }

    override func tearDownWithError() throws { assertOwnScope(nil) }

    override func tearDown() async throws {
        assertOwnScope(nil)
        try await super.tearDown()
        XCTAssertTrue(EnvironmentScope.current.isClosed)
    }

    func testSynchronous() {
        assertOwnScope()
        XCTAssertEqual(EnvironmentScope.current.host, "set up")
    }

    func testThrowing() throws {
        assertOwnScope()
        XCTAssertThrowsError(try EnvironmentScope.current.value(for: TokenKey.self))
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

    func testAsynchronousThrowing() async throws {
        await Task.yield()
        XCTAssertEqual(try EnvironmentScope.current.value(for: PortKey.self), 1)
        assertOwnScope()
    }

    @MainActor
    func testOnMainActor() {
        assertOwnScope()
        EnvironmentScope.current.port = 3
        assertOwnScope(3)
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

    func testWaitingForExpectation() {
        let read = expectation(description: "read")
        DispatchQueue.global().async(
            execute: EnvironmentScope.current.bind { [port] in
                XCTAssertEqual(port(), 1)
                read.fulfill()
            }
        )
        wait(for: [read], timeout: 60)
        assertOwnScope()
    }
}
