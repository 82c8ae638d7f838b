import HummingbirdTesting
import ScopedInjection
import ScopedInjectionTesting
import Testing

@testable import Greetings

@Suite(.scope { $0.greeting = "Good evening" })
struct ServerTests {
    @Test func greetsWhoAsks() async throws {
        try await makeServer(in: .current).test(.router) { client in
            let answer = try await client.execute(uri: "/greeting?name=Ada", method: .get)
            #expect(String(buffer: answer.body) == "Good evening, Ada!\n")
        }
    }
}
