#if canImport(XCTest)
    import ScopedInjection
    import ScopedInjectionTesting
    import Synchronization
    import XCTest

    /// A class of which others inherit.
    class PortTestCase: ScopedTestCase {
        override var scopeTrait: ScopeTrait { .scope { $0.port = 1 } }
    }

    final class ScopedTestCaseTests: PortTestCase {
        private let port = Injected(\.port)
        private let host = Injected(\.host)
        private let limit = Injected(\.limit)
        private var isEnteredAround = false

        /// As a class does that overrides values for all its tests.
        override func invokeTest() {
            isEnteredAround = EnvironmentScope.current.port == 1
            let scope = EnvironmentScope("around") { $0.host = "around" }
            scope { super.invokeTest() }
        }

        override func setUp() async throws {
            await Task.yield()
            EnvironmentScope.current.limit = port()
        }

        override func setUp() { XCTAssertEqual(limit(), 1) }
        override func tearDown() { assertOwnScope() }
        override func tearDown() async throws { assertOwnScope() }

        private func assertOwnScope(line: UInt = #line) {
            XCTAssertEqual(EnvironmentScope.current.name, "around", line: line)
            XCTAssertEqual(EnvironmentScope.current.parent?.name, name, line: line)
            XCTAssertNil(EnvironmentScope.current.parent?.parent, line: line)
            XCTAssertFalse(EnvironmentScope.current.isClosed, line: line)
        }

        func testWhatIsEnteredAroundATestLiesBelowItsScope() {
            XCTAssertTrue(isEnteredAround)
            assertOwnScope()
            XCTAssertEqual([port(), limit()], [1, 1])
            XCTAssertEqual(host(), "around")
            addTeardownBlock { XCTAssertEqual(EnvironmentScope.current.name, "around") }
        }

        func testAnAsynchronousTestRunsInItsScope() async {
            await Task.yield()
            assertOwnScope()
            let inTask = await Task { [host] in host() }.value
            XCTAssertEqual(inTask, "around")
        }

        @MainActor
        func testATestOnTheMainActorRunsInItsScope() async {
            await Task.yield()
            MainActor.assertIsolated()
            assertOwnScope()
        }
    }

    /// Its tests do the same; the second to run would find what the first left.
    final class FreshScopeTests: ScopedTestCase {
        private func leaveAName() {
            XCTAssertNil(EnvironmentScope.current.user)
            EnvironmentScope.current.user = User(name: "Ada")
            XCTAssertEqual(EnvironmentScope.current.retries, 0)
        }

        func testATestFindsNothingOfAnother() { leaveAName() }
        func testATestFindsNothingOfAnotherEither() { leaveAName() }
    }

    /// Its first test leaves a cleanup to the second, which looks.
    final class ClosedScopeTests: ScopedTestCase {
        private static let journal = Box<[String]>([])
        private static let closed = Mutex<EnvironmentScope?>(nil)

        func test1TheScopeIsClosedAfterTheTest() {
            EnvironmentScope.current.onClose {
                await Task.yield()
                await MainActor.run { Self.journal.update { $0.append("closed") } }
            }
            addTeardownBlock { Self.journal.update { $0.append("torn down") } }
            Self.closed.withLock { $0 = .current }
        }

        func test2ItsCleanupsHaveBeenAwaited() {
            XCTAssertEqual(Self.journal.value, ["torn down", "closed"])
            let former = Self.closed.withLock { $0 }
            XCTAssertNotNil(former)
            XCTAssertFalse(former === EnvironmentScope.current)
            Self.closed.withLock { $0 = nil }
        }
    }

    /// Expects the failures that its tests name.
    class FailingTestCase: ScopedTestCase {
        let failures = Mutex<[String]>([])
        /// What the texts of expected failures contain, with their places.
        var expected: [String] { [] }

        private func isExpected(_ text: String, _ file: String, _ line: Int) -> Bool {
            let place = "\(file):\(line)"
            failures.withLock { $0.append("\(text) at \(place)") }
            return expected.contains { text.contains($0) }
        }

        #if canImport(Darwin)
            override func record(_ issue: XCTIssue) {
                let place = issue.sourceCodeContext.location
                if isExpected(issue.compactDescription, place?.fileURL.path ?? "", place?.lineNumber ?? 0) { return }
                super.record(issue)
            }
        #else
            override func recordFailure(
                withDescription description: String,
                inFile path: String,
                atLine line: Int,
                expected: Bool
            ) {
                if isExpected(description, path, line) { return }
                super.recordFailure(withDescription: description, inFile: path, atLine: line, expected: expected)
            }
        #endif
    }

    final class ReportedTestCaseTests: FailingTestCase {
        override var expected: [String] { ["limit (Int) was not set", "Payments.balance", "port (Int) was read"] }
        private let limit = Injected(\.limit)

        func testAForgottenValueFailsTheTestOnceAtTheLineOfItsReference() {
            XCTAssertEqual([limit(), limit()], [100, 100])
            let failures = failures.withLock { $0 }
            XCTAssertEqual(failures.count, 1)
            let place = "ScopedInjectionTestingTests/ScopedTestCaseTests.swift:\(#line - 7)"
            XCTAssertTrue(failures.first?.hasSuffix(place) == true, "\(failures)")
            XCTAssertFalse(failures.first?.contains("no test is known") == true)
        }

        func testAnEndpointFailsTheTestAtItsOwnLine() {
            XCTAssertEqual(NoPayments().balance(), 0)
            let failures = failures.withLock { $0 }
            XCTAssertEqual(failures.count, 1)
            XCTAssertTrue(
                failures.first?.hasSuffix("ScopedInjectionTestingTests/UnimplementedTests.swift:12") == true,
                "\(failures)"
            )
        }

        func testAReadInTheGlobalScopeFailsTheTestOnce() {
            for _ in 0..<2 { XCTAssertEqual(EnvironmentScope.global.port, 8080) }
            XCTAssertEqual(failures.withLock(\.count), 1)
            XCTAssertFalse(failures.withLock { $0 }.first?.contains("no test is known") == true)
        }
    }
#endif
