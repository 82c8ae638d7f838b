import ScopedInjection
import ScopedInjectionTesting
import Testing

/// As in the README, on the database of these tests.
private struct Handler: Sendable {
    @Injected(\.database) var database
    @Injected(\.user?.name) var userName

    func run() throws -> String {
        let isInMemory = try $database.value() is InMemory
        return "\(userName ?? "nobody") reads \(isInMemory ? ":memory:" : "something else")"
    }
}

@Suite(.scope { $0.database = InMemory() })
private struct HandlerTests {
    let handler = Handler()

    @Test func servesNobody() throws {
        #expect(try handler.run() == "nobody reads :memory:")
    }

    @Test(.scope { $0.user = User(name: "Ada") })  // refines the suite's
    func servesTheUser() throws {
        #expect(try handler.run() == "Ada reads :memory:")
    }
}
