import HummingbirdTesting
import ScopedInjection
import ScopedInjectionTesting
import Synchronization
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

    @Test func logsEachVisit() async throws {
        let logged = Logged()
        EnvironmentScope.current.log = { logged.add($0) }
        try await makeServer(in: .current).test(.router) { client in
            for _ in 1...2 { try await client.execute(uri: "/greeting", method: .get) }
        }
        #expect(logged.lines == ["/greeting, greeted", "/greeting, greeted"])
    }
}

private final class Logged: Sendable {
    private let content = Mutex<[String]>([])
    var lines: [String] { content.withLock { $0 } }
    func add(_ line: String) { content.withLock { $0.append(line) } }
}
