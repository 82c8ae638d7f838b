import Foundation
import ScopedInjection
import ScopedInjectionTesting
import Testing

/// Tests of the shop that each forget one of the four values.
///
/// A test of the library runs them in a process of its own, and reads what that is told.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["SCOPED_INJECTION_TEST_PROCESS"] != nil,
        "Another test runs this one in a process of its own."
    ),
    .scope(defaults: .forbidden) { $0.token = Token(text: "secret") }
)
struct ForgetfulTests {
    @Injected(\.checkout) var checkout

    @Test(
        .scope {
            $0.database = Shelf(["tea": 3])
            $0.payments = Till()
            $0.mailer = Outbox()
        }
    )
    func forgetsTheClock() async throws { try await checkout.buy("tea") }

    @Test(
        .scope {
            $0.clock = TestClock()
            $0.payments = Till()
            $0.mailer = Outbox()
        }
    )
    func forgetsTheDatabase() async throws {
        await #expect(throws: UnknownItem.self) { try await checkout.buy("tea") }
    }

    @Test(
        .scope {
            $0.clock = TestClock()
            $0.database = Shelf(["tea": 3])
            $0.mailer = Outbox()
        }
    )
    func forgetsThePayments() async throws { try await checkout.buy("tea") }

    @Test(
        .scope {
            $0.clock = TestClock()
            $0.database = Shelf(["tea": 3])
            $0.payments = Till()
        }
    )
    func forgetsTheMailer() async throws { try await checkout.buy("tea") }

    @Test(
        .scope {
            $0.clock = TestClock()
            $0.database = Shelf(["tea": 3])
            $0.payments = Till()
            $0.mailer = Outbox()
        }
    )
    func forgetsNothing() async throws { try await checkout.buy("tea") }
}
