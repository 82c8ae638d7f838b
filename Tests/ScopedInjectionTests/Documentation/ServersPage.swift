import ScopedInjection
import Testing

nonisolated private struct Request: Sendable {
    var id: String
    var user: User?
}

nonisolated private struct Response: Sendable, Equatable {
    let body: String
    init(_ body: String) { self.body = body }
}

private actor Transaction {
    private(set) var isRolledBack = false
    init(on database: any Database) {}
    func rollBack() throws { isRolledBack = true }
}

nonisolated extension ScopeValues {
    fileprivate static var transaction: ScopeValue<Transaction> { .required() }
}

private struct ScopeMiddleware {
    let app: EnvironmentScope

    func handle(_ request: Request, next: (Request) async throws -> Response) async throws -> Response {
        try await app.innermost.withChild("request") {
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

nonisolated extension EnvironmentScope {
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

        let request = Request(id: "4", user: User(name: "Ada"))
        let answer = try await app.withChild("override") {
            $0.databasePath = "test.db"
        } operation: {
            try await middleware.handle(request, next: handler.list)
        }
        #expect(answer == Response("Ada has test.db"))

        let used = Box<Transaction?>(nil)
        _ = try await middleware.handle(Request(id: "3")) { _ in
            used.update { $0 = EnvironmentScope.current.transaction }
            return Response("done")
        }
        #expect(await used.value?.isRolledBack == true)
    }

    @Test("Code that no scope reaches reads the application's values where its scope is the global one")
    func globalApplication() async {
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
            EnvironmentScope.global = app
            let path = await Task.detached { EnvironmentScope.current.databasePath }.value
            if path != "live.db" { fatalError("it read \(path)") }
        }
    }

    @Test("Or it is an error, where the global scope forbids defaults")
    func forbiddingGlobal() async {
        await #expect(processExitsWith: .success) {
            EnvironmentScope.global = .empty(
                "nobody's",
                parent: nil,
                defaults: .forbidden
            )
            let (path, user) = await Task.detached {
                (try? EnvironmentScope.current.value(for: \.databasePath), EnvironmentScope.current.user)
            }.value
            if path != nil || user != nil { fatalError("it read \(path ?? "nothing")") }
        }
    }
}
