import ScopedInjection
import Testing

nonisolated private struct Request: Sendable {
    var id: String
    var user: User?
}

nonisolated private struct Response: Sendable, Equatable {
    let body: String
    var stream: BodyStream?
    init(_ body: String) { self.body = body }
    static func == (lhs: Response, rhs: Response) -> Bool { lhs.body == rhs.body }
}

private actor Writer {
    private(set) var text = ""
    private let limit: Int
    init(limit: Int = .max) { self.limit = limit }
    func write(_ more: String) throws {
        if text.count > limit { throw CancellationError() }
        text += more
    }
}

nonisolated private struct BodyStream: Sendable {
    let write: @Sendable (Writer) async throws -> Void
    init(_ write: @escaping @Sendable (Writer) async throws -> Void) { self.write = write }
}

nonisolated extension BodyStream {
    fileprivate func written(in scope: EnvironmentScope) -> BodyStream {
        let closing = Closing(scope)
        return BodyStream { writer in
            do {
                try await closing.scope { try await self.write(writer) }
            } catch {
                await closing.scope.close()
                throw error
            }
            await closing.scope.close()
        }
    }
}

nonisolated private final class Closing: Sendable {
    let scope: EnvironmentScope
    init(_ scope: EnvironmentScope) { self.scope = scope }
    deinit { Task { [scope] in await scope.close() } }
}

private struct StreamingMiddleware {
    let app: EnvironmentScope

    func handle(_ request: Request, next: (Request) async throws -> Response) async throws -> Response {
        let scope = EnvironmentScope("request", parent: app.innermost) { $0.user = request.user }
        do {
            var response = try await scope { try await next(request) }
            if let body = response.stream {
                response.stream = body.written(in: scope)
            } else {
                await scope.close()
            }
            return response
        } catch {
            await scope.close()
            throw error
        }
    }
}

private actor Transaction {
    private(set) var isRolledBack = false
    init(on database: any Database) {}
    func rollBack() throws { isRolledBack = true }
}

nonisolated extension ScopeValues {
    fileprivate static var transaction: ScopeValue<Transaction> { .required() }
    fileprivate static var news: ScopeValue<AsyncStream<String>> { .required() }
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
        try await app.validateChild("request", of: handler) {
            $0.user = User(name: "Ada")
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

    @Test("A streamed body reads its request's values until its end, and its scope is closed then in any case")
    func streams() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let middleware = StreamingMiddleware(app: app)
        let closed = Box(0)
        let gate = AsyncStream.makeStream(of: Void.self)
        let respond = { @Sendable (_: Request) in
            let scope = EnvironmentScope.current
            scope.news = AsyncStream { continuation in
                for news in ["one", "two"] { continuation.yield("\(news) for \(scope.user?.name ?? "nobody")") }
                continuation.finish()
            }
            scope.onClose {
                closed.update { $0 += 1 }
                gate.continuation.yield()
            }
            var response = Response("streamed")
            response.stream = BodyStream { writer in
                for await news in EnvironmentScope.current.news {
                    try await writer.write("data: \(news)\n\n")
                }
            }
            return response
        }
        let request = Request(id: "1", user: User(name: "Ada"))
        let response = try await middleware.handle(request, next: respond)
        #expect(closed.value == 0)
        let writer = Writer()
        try await response.stream?.write(writer)
        #expect(await writer.text == "data: one for Ada\n\ndata: two for Ada\n\n")
        #expect(closed.value == 1)

        // The client goes away after the first line.
        let gone = try await middleware.handle(request, next: respond)
        await #expect(throws: CancellationError.self) { try await gone.stream?.write(Writer(limit: 3)) }
        #expect(closed.value == 2)

        // Nobody writes the body.
        var ends = gate.stream.makeAsyncIterator()
        for _ in 0..<2 { await ends.next() }
        _ = try await middleware.handle(request, next: respond)
        await ends.next()
        #expect(closed.value == 3)
        _ = try await middleware.handle(request) { Response($0.id) }
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

    @Test("Code that no scope reaches gets an error where the global scope forbids defaults")
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
