import ScopedInjection
import Testing

private struct Handler: Sendable {
    @Injected(\.port) var port
    @Injected(\.user?.name) var userName
}

private final class Mailer: Sendable {
    let user = Injected(\.user)
    let handler = Handler()
}

private func address() -> String {
    @Injected({ scope in "\(scope.host):\(scope.port)" }) var address
    return address
}

@Suite("Documentation: references")
struct ReferencesPage {
    @Test("They read from the current scope, or from their own")
    func references() {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 9090 }
        let test = EnvironmentScope("test", parent: nil) { $0.port = 1 }
        let handler = Handler()
        #expect(app { handler.port } == 9090)
        #expect(test { handler.port } == 1)
        #expect(test { address() } == "localhost:1")

        handler.$port.scope = test
        #expect(app { handler.port } == 1)

        handler.$port.scope = nil
        #expect(app { handler.port } == 9090)

        let mailer = Mailer()
        #expect(test.replace(in: mailer) == 1)
        #expect(app { mailer.handler.port } == 9090)

        #expect(test.replace(in: mailer, options: .nested) == 3)
        #expect(app { mailer.handler.port } == 1)
    }
}
