import ScopedInjection
import ScopedInjectionTesting
import Testing

// What the samples' servers and tests do, in each dialect: a middleware, a body that is written after its handler has returned, a client of
// closures, traits.

nonisolated private struct Request: Sendable { var user: User? }

nonisolated private struct Response: Sendable {
    let body: String
    var stream: BodyStream?
}

private actor Writer {
    private(set) var text = ""
    func write(_ more: String) { text += more }
}

nonisolated private struct BodyStream: Sendable {
    let write: @Sendable (Writer) async throws -> Void

    func written(in scope: EnvironmentScope) -> BodyStream {
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

private struct Middleware {
    let app: EnvironmentScope

    func handle(_ request: Request, next: (Request) async throws -> Response) async throws -> Response {
        do {
            return try await app.withChild("request", role: .request) {
                $0.user = request.user
            } operation: {
                try await next(request)
            }
        } catch let error as ScopeError {
            throw error.underlyingError ?? error
        }
    }

    func handleStreamed(_ request: Request, next: (Request) async throws -> Response) async throws -> Response {
        let scope = EnvironmentScope("request", role: .request, parent: app) { $0.user = request.user }
        do {
            var response = try await scope { try await next(request) }
            response.stream = response.stream?.written(in: scope)
            return response
        } catch {
            await scope.close()
            throw error
        }
    }
}

private struct ListHandler: Sendable {
    @Injected(\.noteStore) private var reference
    @Injected(\.user?.name) private var name
    private var store: NoteStore { get throws { try $reference.value() } }

    func list(_ request: Request) async throws -> Response {
        Response(body: "\(name ?? "nobody") has \(try store.database.path)")
    }
}

nonisolated private struct GitClient: Sendable {
    var tags: @Sendable () throws -> [String] = unimplemented("Git.tags")
    var branch: @Sendable () -> String = unimplemented("Git.branch", placeholder: "")
}

nonisolated extension ScopeValues {
    fileprivate static var git: ScopeValue<GitClient> {
        .lazy(inTests: GitClient()) {
            let path = try $0.databasePath
            return GitClient(tags: { [path] }, branch: { path })
        }
    }
    fileprivate static var broken: ScopeValue<NoteStore> { .lazy { _ in throw Refused() } }
}

nonisolated private struct Refused: Error {}

nonisolated private func makeApp() -> EnvironmentScope {
    EnvironmentScope("app", role: .application, parent: nil) { $0.databasePath = "live.db" }
}

@Suite("A server and its tests", .scope(parent: makeApp()))
struct ServerTests {
    @Test(.scope { $0.databasePath = "test.db" })
    func aHandlerReadsWhatTheTestSets() async throws {
        let request = Request(user: User(name: "Ada"))
        let answer = try await Middleware(app: .current).handle(request, next: ListHandler().list)
        #expect(answer.body == "Ada has test.db")
    }

    @Test func whatABuilderThrowsKeepsItsType() async {
        await #expect(throws: Refused.self) {
            try await Middleware(app: .current).handle(Request()) { _ in
                Response(body: try EnvironmentScope.current.value(for: \.broken).database.path)
            }
        }
    }

    @Test func aBodyIsWrittenInItsRequest() async throws {
        let writer = Writer()
        let answer = try await Middleware(app: .current).handleStreamed(Request(user: User(name: "Ada"))) { _ in
            Response(
                body: "",
                stream: BodyStream { await $0.write("for \(EnvironmentScope.current.user?.name ?? "nobody")") }
            )
        }
        try await answer.stream?.write(writer)
        #expect(await writer.text == "for Ada")
    }

    @Test(.scope { $0.git.tags = { ["1.0"] } })
    func aTestSetsAnEndpoint() throws {
        #expect(try EnvironmentScope.current.git.tags() == ["1.0"])
    }

    @Test(.scope(request: { $0.user = User(name: "Ada") }) { $0.databasePath = "test.db" })
    func aRequestHasAScopeOfItsOwn() {
        #expect(EnvironmentScope.current.user?.name == "Ada")
        #expect(EnvironmentScope.current.parent?.user == nil)
    }
}
