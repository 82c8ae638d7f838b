import ScopedInjection
import Testing

private final class Session: Sendable {
    let scope: EnvironmentScope
    init(below app: EnvironmentScope) { scope = .empty("session", parent: app) }
}
extension ScopeValues { fileprivate static let session = ScopeValue<Session?>() }

private final class Mailer: Sendable { let user = Injected(\.user) }
extension ScopeValues { fileprivate static let mailer = ScopeValue<Mailer?>() }

private actor Pool {
    private(set) var isShutDown = false
    func shutdown() { isShutDown = true }
}
extension ScopeValues { fileprivate static let pool = ScopeValue<Pool>.required() }

@Suite("Documentation: ownership")
struct OwnershipPage {
    @Test("A value may own a child of the scope that holds it")
    func session() {
        weak var gone: EnvironmentScope?
        do {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.session = Session(below: app)
            gone = app
            #expect(app.session?.scope.parent === app)
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
        #expect(throws: ScopeError.self) { try request.value(for: \.port) }
    }

    @Test("A bound reference does not own its owner")
    func bound() {
        weak var gone: EnvironmentScope?
        do {
            let mailer = Mailer()
            let scope = EnvironmentScope("app", parent: nil) { $0.mailer = mailer }
            scope.replace(in: mailer)
            gone = scope
        }
        #expect(gone == nil)
    }

    @Test("Closing runs what a builder registered")
    func closing() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.pool) { scope in
            let pool = Pool()
            scope.onClose { await pool.shutdown() }
            return pool
        }
        let pool = try app.value(for: \.pool)
        await app.close()
        #expect(await pool.isShutDown)
    }
}
