import ScopedInjection
import Testing

private struct Endpoint: Sendable {
    @Injected(\.port) var port
    @Injected(\.user?.name) var userName
}

private final class Mailer: Sendable {
    let user = Injected(\.user)
    let endpoint = Endpoint()
}

private func address() -> String {
    @Injected({ "\($0.host):\($0.port)" }) var address
    return address
}

@Suite("Documentation: references")
struct ReferencesPage {
    @Test("References read from the current scope, or from their own")
    func references() throws {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 9090 }
        let test = EnvironmentScope("test", parent: nil) { $0.port = 1 }
        let endpoint = Endpoint()
        #expect(app { endpoint.port } == 9090)
        #expect(test { endpoint.port } == 1)
        #expect(test { address() } == "localhost:1")
        #expect(try test { try endpoint.$port.value() } == 1)

        endpoint.$port.scope = test
        #expect(app { endpoint.port } == 1)

        endpoint.$port.scope = nil
        #expect(app { endpoint.port } == 9090)

        let mailer = Mailer()
        #expect(test.replace(in: mailer) == 1)
        #expect(app { mailer.endpoint.port } == 9090)

        #expect(test.replace(in: mailer, options: .nested) == 3)
        #expect(app { mailer.endpoint.port } == 1)
    }
}
