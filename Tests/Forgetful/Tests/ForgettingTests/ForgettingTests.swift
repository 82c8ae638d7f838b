import Forgettings
import ScopedInjection
import ScopedInjectionTesting
import Testing
import XCTest

/// What `Tests/Forgetful/check` runs, once for each forgetting.
@Suite(.enabled(if: Forgetting.chosen != nil))
struct ForgettingTests {
    @Test(.enabled(if: Forgetting.chosen?.trait != nil), Forgetting.chosen?.trait ?? .scope())
    func runs() async throws { try await Forgetting.chosen?.run() }

    @Test(.enabled(if: Forgetting.chosen?.trait == nil))
    func runsWithoutATrait() async throws { try await Forgetting.chosen?.run() }
}

final class ForgettingXCTests: ScopedTestCase {
    override var scopeTrait: ScopeTrait { Forgetting.chosen?.trait ?? .scope() }

    func testRuns() async throws {
        guard Forgetting.chosen?.trait != nil else { throw XCTSkip("another test runs it") }
        try await Forgetting.chosen?.run()
    }
}

final class ForgettingWithoutATraitXCTests: XCTestCase {
    func testRuns() async throws {
        guard let chosen = Forgetting.chosen, chosen.trait == nil else { throw XCTSkip("another test runs it") }
        try await chosen.run()
    }
}

final class EarlyXCTests: ScopedTestCase {
    // Made before all tests.
    private let port = Forgetting.earlyPlace == "stored" ? EnvironmentScope.current.port : 0

    override class func setUp() {
        if Forgetting.earlyPlace == "classSetUp" { _ = EnvironmentScope.current.port }
    }

    func testComesNext() {}
}
