import ScopedInjection

#if canImport(XCTest)
    import Foundation
    import XCTest

    /// What XCTest runs, as far as it says so.
    ///
    /// Where Swift Testing runs, nothing of it does anything, as an issue does nothing where XCTest runs.
    final class XCTestWatch: NSObject, XCTestObservation, Sendable {
        private static let shared = XCTestWatch()
        private let state = Guarded(State())

        private struct State: Sendable {
            var phase = Phase.unknown
            /// What was told before the next test.
            var early: [Early] = []
        }

        private struct Early: Sendable {
            let text: String
            let place: ScopeError.Location?
        }

        private enum Phase: Equatable {
            /// XCTest may run a test that had begun before it was watched.
            case unknown
            case between
            case inTest(String)

            var name: String? { if case .inTest(let name) = self { name } else { nil } }
        }

        /// Begins to watch, once.
        static func begin() { _ = isBegun }

        private static let isBegun: Void = {
            if Thread.isMainThread { return XCTestObservationCenter.shared.addTestObserver(shared) }
            // Elsewhere XCTest does not allow it.
            DispatchQueue.main.async { XCTestObservationCenter.shared.addTestObserver(shared) }
        }()

        static var nameOfTest: String? { shared.state.withLock { $0.phase.name } }

        /// Fails the XCTest that runs, or else the next one; prints what is no failure.
        static func record(_ lines: [String], at place: ScopeError.Location?, isFailure: Bool) {
            let text = lines.joined(separator: "\n")
            let phase = shared.state.withLock { state in
                if isFailure, state.phase.name == nil { state.early.append(Early(text: text, place: place)) }
                return state.phase
            }
            if !isFailure {
                if phase != .unknown || !CommandLine.arguments.contains("swift-testing") { print("warning: \(text)") }
            } else if phase != .between {
                fail(text, at: place)
            }
        }

        private static func fail(_ text: String, at place: ScopeError.Location?) {
            XCTFail(text, file: place?.file ?? "ScopedInjectionTesting", line: place?.line ?? 0)
        }

        private func take(_ phase: Phase, isDropping: Bool) -> [Early] {
            state.withLock { state in
                defer { if isDropping { state.early = [] } }
                state.phase = phase
                return state.early
            }
        }

        // MARK: What XCTest says

        func testSuiteWillStart(_ testSuite: XCTestSuite) { _ = take(.between, isDropping: false) }

        func testCaseWillStart(_ testCase: XCTestCase) {
            for early in take(.inTest(testCase.name), isDropping: true) {
                let reason =
                    "Told before this test: by a stored property, which is made before all tests, or by class func setUp."
                Self.fail("\(early.text)\n  \(reason)", at: early.place)
            }
        }

        func testCaseDidFinish(_ testCase: XCTestCase) {
            // Where no begin was seen, the test has had its failures.
            let wasUnknown = state.withLock { $0.phase } == .unknown
            _ = take(.between, isDropping: wasUnknown)
        }

        func testBundleDidFinish(_ testBundle: Bundle) {
            for early in take(.between, isDropping: true) { print("error: \(early.text)") }
        }
    }
#else
    /// What XCTest runs, where there is one.
    enum XCTestWatch {
        static var nameOfTest: String? { nil }
        static func begin() {}
        static func record(_ lines: [String], at place: ScopeError.Location?, isFailure: Bool) {}
    }
#endif
