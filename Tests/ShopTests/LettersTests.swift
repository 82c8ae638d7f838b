import ScopedInjection
import ScopedInjectionTesting
import XCTest

final class LettersTests: ScopedTestCase {
    private let letters = Letters()

    override var scopeTrait: ScopeTrait {
        .scope { $0.mailer = Outbox() }
    }

    func testNamesTheCustomer() {
        EnvironmentScope.current.user = User(name: "Ada")
        letters.confirm("tea", 3)
        let outbox = EnvironmentScope.current.mailer as? Outbox
        XCTAssertEqual(outbox?.letters, ["Ada bought tea: 3 EUR"])
    }
}
