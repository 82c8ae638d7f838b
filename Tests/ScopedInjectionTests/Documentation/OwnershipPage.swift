import ScopedInjection
import Testing

private final class Session: Sendable {
    let scope: EnvironmentScope
    init(below app: EnvironmentScope) { scope = .empty("session", parent: app) }
}
private enum SessionKey: ScopeKey { typealias Value = Session? }

private final class Mailer: Sendable { let user = Injected(\.user) }
private enum MailerKey: ScopeKey { typealias Value = Mailer? }

private actor Pool {
    private(set) var isShutDown = false
    func shutdown() { isShutDown = true }
}
private enum PoolKey: ScopeKey { typealias Value = Pool }

@Suite("Documentation: ownership")
struct OwnershipPage {
    @Test("A value may own a child of the scope that holds it")
    func session() {
        weak var gone: EnvironmentScope?
        do {
            let app = EnvironmentScope.empty("app", parent: nil)
            app[SessionKey.self] = Session(below: app)
            gone = app
            #expect(app[SessionKey.self]?.scope.parent === app)
        }
        #expect(gone == nil)
    }

    @Test("A parent that is gone is an error")
    func gone() {
        func makeRequest() -> EnvironmentScope {
            let app = EnvironmentScope.empty("app", parent: nil)
            return EnvironmentScope("request", parent: app) { $0.host = "here" }
        }

        let request = makeRequest()
        #expect(request.host == "here")
        #expect(throws: ScopeError.self) { try request.value(for: PortKey.self) }
    }

    @Test("A bound reference does not own its owner")
    func bound() {
        weak var gone: EnvironmentScope?
        do {
            let mailer = Mailer()
            let scope = EnvironmentScope("app", parent: nil) { $0[MailerKey.self] = mailer }
            mailer.user.scope = scope
            gone = scope
        }
        #expect(gone == nil)
    }

    @Test("Closing runs what a builder registered")
    func closing() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(PoolKey.self) { scope in
            let pool = Pool()
            scope.onClose { await pool.shutdown() }
            return pool
        }
        let pool = try app.value(for: PoolKey.self)
        await app.close()
        #expect(await pool.isShutDown)
    }
}
