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
    .serialized,
    .scope { $0.token = Token(text: "secret") }
)
struct ForgetfulTests {
    @Injected(\.checkout) var checkout

    @Test(.shop, .scope { $0.removeValue(for: \.clock) })
    func forgetsTheClock() async throws { try await checkout.buy("tea") }

    @Test(.shop, .scope { $0.removeValue(for: \.database) })
    func forgetsTheDatabase() async throws {
        await #expect(throws: UnknownItem.self) { try await checkout.buy("tea") }
    }

    @Test(.shop, .scope { $0.removeValue(for: \.payments) })
    func forgetsThePayments() async throws { try await checkout.buy("tea") }

    @Test(.shop, .scope { $0.removeValue(for: \.mailer) })
    func forgetsTheMailer() async throws { try await checkout.buy("tea") }

    @Test(.shop) func forgetsNothing() async throws { try await checkout.buy("tea") }

    @Test(.shop) func startsWorkOnItsOwn() async throws {
        let letters = Letters()
        await Task.detached { letters.confirm("tea", 3) }.value
    }
}
