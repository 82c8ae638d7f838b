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

// ⟨Servers.md: extension BodyStream⟩ nonisolated private

nonisolated private func news() -> BodyStream {
    // ⟨Servers.md: BodyStream { writer in⟩
}

private struct StreamingMiddleware {
    let app: EnvironmentScope

    func handle(_ request: Request, next: (Request) async throws -> Response) async throws -> Response {
        // ⟨Servers.md: let scope⟩
    }
}

nonisolated extension ScopeValues {
    fileprivate static var news: ScopeValue<AsyncStream<String>> { .required() }
}

// ⟨Servers.md: struct ScopeMiddleware⟩ private

// ⟨Servers.md: struct NoteHandler⟩ private

@Suite("Documentation: servers")
struct ServersPage {
    @Test("A handler reads the user, and shares the store")
    func requests() async throws {
        let handler = NoteHandler()
        func serve(_ app: EnvironmentScope) async throws {
            let middleware = ScopeMiddleware(app: app)
            let ada = try await middleware.handle(Request(id: "1", user: User(name: "Ada"))) {
                try await handler.list($0)
            }
            #expect(ada == Response("Ada has live.db"))
            let nobody = try await middleware.handle(Request(id: "2")) { try await handler.list($0) }
            #expect(nobody == Response("Who are you?"))
            #expect(app.explain(\.noteStore).keptIn == "app")
        }
        // ⟨Servers.md: try await EnvironmentScope.withScope⟩
    }

    @Test("What a test sets in the application's scope reaches the requests")
    func overrides() async throws {
        func makeApp() -> EnvironmentScope { EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" } }
        // ⟨Servers.md: let app = makeApp⟩
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
            response.stream = news()
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
            // ⟨Servers.md: EnvironmentScope.global = app⟩
            let path = await Task.detached { EnvironmentScope.current.databasePath }.value
            if path != "live.db" { fatalError("it read \(path)") }
        }
    }

    @Test("Code that no scope reaches gets an error where the global scope forbids defaults")
    func forbiddingGlobal() async {
        await #expect(processExitsWith: .success) {
            // ⟨Servers.md: EnvironmentScope.global = .empty⟩
            let (path, user) = await Task.detached {
                (try? EnvironmentScope.current.value(for: \.databasePath), EnvironmentScope.current.user)
            }.value
            if path != nil || user != nil { fatalError("it read \(path ?? "nothing")") }
        }
    }

    @Test("Observers are told what hangs")
    func stop() async {
        let (app, logger) = (EnvironmentScope.empty("app", parent: nil), Logger())
        // ⟨Servers.md: app.observe⟩
        let mayEnd = AsyncStream<Never>.makeStream()
        app.onClose { for await _ in mayEnd.stream {} }
        await app.close(within: .milliseconds(10))
        #expect(logger.lines.value.count == 1)
        mayEnd.continuation.finish()
    }
}
