import Hummingbird
import HummingbirdTesting
import ScopedInjection
import ScopedInjectionTesting
import Synchronization
import Testing

@testable import QuickServer

@Suite struct StartTests {
    @Test func thePortComesFromTheEnvironment() throws {
        #expect(try listeningPort(in: ["PORT": "8081"]) == 8081)
        #expect(try listeningPort(in: Environment(values: [:])) == 8080)
    }

    @Test(arguments: ["", "x", "-1", "65536"])
    func whatIsNoPortIsNamed(text: String) {
        let error = #expect(throws: CannotStart.self) { try listeningPort(in: ["PORT": text]) }
        #expect(error?.description == "PORT must be a number from 0 to 65535, not '\(text)'.")
    }

    @Test(.scope { $0.port = 0 })
    func aPortThatIsTakenIsNamedAndTheScopeIsClosed() async throws {
        try await makeApplication(in: .current).test(.live) { client in
            let taken = try #require(client.port)
            let isClosed = Atomic(false)
            let error = await #expect(throws: CannotStart.self) {
                try await serve { scope in
                    scope.port = taken
                    scope.onClose { isClosed.store(true, ordering: .relaxed) }
                }
            }
            #expect(error?.description.hasPrefix("Port \(taken): ") == true)
            let scopeIsClosed = isClosed.load(ordering: .relaxed)
            #expect(scopeIsClosed)
        }
    }
}
