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

nonisolated private final class Session: Sendable {
    let user: User?
    init(of user: User?) { self.user = user }
}

nonisolated private final class Transaction: Sendable {}

nonisolated extension ScopeValues {
    fileprivate static var transaction: ScopeValue<Transaction> { .lazy(.once(in: .request)) { _ in Transaction() } }
}

// ⟨Streams.md: static var connection: ScopeRole⟩ nonisolated private

// ⟨Streams.md: static var session⟩ nonisolated private

// ⟨Streams.md: extension BodyStream⟩ nonisolated private

nonisolated private func news() -> BodyStream {
    // ⟨Streams.md: BodyStream { writer in⟩
}

private struct StreamingMiddleware {
    let app: EnvironmentScope

    func handle(_ request: Request, next: (Request) async throws -> Response) async throws -> Response {
        // ⟨Streams.md: let scope⟩
    }
}

nonisolated extension ScopeValues {
    fileprivate static var news: ScopeValue<AsyncStream<String>> { .required() }
}

@Suite("Documentation: streams")
struct StreamsPage {
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

    @Test("Messages of a connection share its session, and each has a transaction of its own")
    func connections() async throws {
        let tenant = EnvironmentScope.empty("acme", parent: nil)
        let user = User(name: "Ada")
        let messages = AsyncStream<String> { continuation in
            for message in ["one", "two"] { continuation.yield(message) }
            continuation.finish()
        }
        let answers = Box<[(session: Session, transaction: Transaction)]>([])
        func answer(_ message: String) async throws {
            let scope = EnvironmentScope.current
            let used = (scope.session, scope.transaction)
            answers.update { $0.append(used) }
        }
        // ⟨Streams.md: try await tenant.withChild⟩
        let (first, second) = (answers.value[0], answers.value[1])
        #expect(first.session === second.session)
        #expect(first.session.user?.name == "Ada")
        #expect(first.transaction !== second.transaction)
    }
}
