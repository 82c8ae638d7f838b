import ScopedInjection
import Testing

private struct Request: Sendable {
    var id: String
    var user: User?
}

private struct Response: Sendable, Equatable {
    let body: String
    init(_ body: String) { self.body = body }
}

private actor Transaction {
    private(set) var isRolledBack = false
    init(on database: any Database) {}
    func rollBack() throws { isRolledBack = true }
}

extension ScopeValues {
    fileprivate static var transaction: ScopeValue<Transaction> { .required() }
}

private struct ScopeMiddleware {
    let app: EnvironmentScope

    func handle(_ request: Request, next: (Request) async throws -> Response) async throws -> Response {
        try await app.withChild("request") {
            $0.user = request.user
            $0.requestID = request.id
            $0.provideTransaction()
        } operation: {
            try await next(request)
        }
    }
}

private struct NoteHandler: Sendable {
    @Injected(\.noteStore) private var store
    @Injected(\.user) private var user

    func list(_ request: Request) async throws -> Response {
        let store = try $store.value()
        guard let user else { return Response("Who are you?") }
        return Response("\(user.name) has \(store.database.path)")
    }
}

extension EnvironmentScope {
    fileprivate func provideTransaction() {
        provide(\.transaction) {
            let transaction = Transaction(on: try $0.database)
            $0.onClose { try await transaction.rollBack() }
            return transaction
        }
    }
}

@Suite("Documentation: servers")
struct ServersPage {
    @Test("A handler reads the user, and shares the store; a transaction ends with its request")
    func requests() async throws {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        try app.validate(\.noteStore)

        let middleware = ScopeMiddleware(app: app)
        let handler = NoteHandler()
        try await app.withChild("request") {
            $0.user = User(name: "Ada")
        } operation: {
            try $0.validateReferences(in: handler)
        }
        let ada = try await middleware.handle(Request(id: "1", user: User(name: "Ada"))) { try await handler.list($0) }
        #expect(ada == Response("Ada has live.db"))
        let nobody = try await middleware.handle(Request(id: "2")) { try await handler.list($0) }
        #expect(nobody == Response("Who are you?"))
        #expect(app.explain(\.noteStore).keptIn == "app")

        let used = Box<Transaction?>(nil)
        _ = try await middleware.handle(Request(id: "3")) { _ in
            used.update { $0 = EnvironmentScope.current.transaction }
            return Response("done")
        }
        #expect(await used.value?.isRolledBack == true)
    }
}
