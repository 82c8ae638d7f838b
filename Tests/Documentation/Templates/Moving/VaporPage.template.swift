import ScopedInjection
import ScopedInjectionTesting
import Synchronization
import Testing

nonisolated private protocol Mailer: Sendable { func send(_ text: String) -> String }

nonisolated private final class SMTPMailer: Mailer {
    let host: String
    init(host: String) { self.host = host }
    func send(_ text: String) -> String { "\(text) by \(host)" }
    func shutdown() async { Journal.shared.write("mailer of \(host) shut down") }
}

nonisolated private final class Journal: Sendable {
    static let shared = Journal()
    private let content = Mutex<[String]>([])
    var lines: [String] { content.withLock { $0 } }
    func write(_ line: String) { content.withLock { $0.append(line) } }
}

nonisolated private struct Outbox: Mailer { func send(_ text: String) -> String { "\(text) by nobody" } }

nonisolated private struct MailerKey: StorageKey { typealias Value = any Mailer }

nonisolated extension Application {
    fileprivate var mailer: any Mailer {
        get {
            guard let mailer = self[MailerKey.self] else {
                fatalError("no mailer is configured; use app.mailer = …")
            }
            return mailer
        }
        set { self[MailerKey.self] = newValue }
    }
}

nonisolated extension ScopeValues { fileprivate static var mailHost: ScopeValue<String> { .value("mail.example.com") } }

// ⟨MovingFromVapor.md: static var mailer⟩ nonisolated private

// ⟨MovingFromVapor.md: struct ScopeLifecycle⟩ nonisolated private

// ⟨MovingFromVapor.md: struct ScopeMiddleware⟩ nonisolated private

nonisolated private final class NoteRepository: Sendable {
    let owner: String
    let mailer: any Mailer
    init(owner: String, mailer: any Mailer) { (self.owner, self.mailer) = (owner, mailer) }
    func share() -> String { mailer.send("a note of \(owner)") }
}

@Sendable nonisolated private func share(_ request: Request) async throws -> Response {
    let notes = try EnvironmentScope.current.value(for: \.notes)
    return Response(body: notes.share())
}

// The scopes that the pages show are those of programs, and give their defaults; those of tests have traits.
@Suite("The page about Vapor's services", .globalDefaults(.allowed))
struct VaporPage {
    let application = Application()

    @Test("The storage key's service, as it was")
    func before() {
        application.mailer = SMTPMailer(host: "a")
        #expect(application.mailer.send("b") == "b by a")
    }

    @Test("Repositories are each request's, services the application's, and both are closed with it")
    func requests() async throws {
        // ⟨MovingFromVapor.md: let scope⟩
        let middleware = ScopeMiddleware(scope: scope)
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask { [application] in
                    let request = Request(application, id: "\(number)", user: "user \(number)")
                    let answer = try await application.respond(to: request, through: middleware, handler: share)
                    #expect(answer.body == "a note of user \(number) by vapor.example.com")
                }
            }
            try await group.waitForAll()
        }
        #expect(scope.localValue(for: \.mailer) != nil)
        await application.shutdown()
        #expect(Journal.shared.lines == ["mailer of vapor.example.com shut down"])
    }

    private struct Refused: Error {}

    @Test("What a builder throws keeps its type", .scope { $0.provide(\.notes) { _ in throw Refused() } })
    func errors() async {
        let middleware = ScopeMiddleware(scope: .current)
        let request = Request(application, id: "1", user: "Ada")
        await #expect(throws: Refused.self) {
            try await application.respond(to: request, through: middleware, handler: share)
        }
    }

    @Test("A service that nobody configured is named before the first request")
    func notConfigured() {
        let scope = EnvironmentScope.empty("app", parent: nil)
        #expect(throws: ScopeError.self) { try scope.validate(\.mailer) }
    }

    @Test("A callback of an event loop is bound to the request's scope", .scope { $0.user = "Ada" })
    func callbacks() async {
        let future = EventLoopFuture(value: 7)
        let scope = EnvironmentScope.current
        // ⟨MovingFromVapor.md: let text⟩
        #expect(text == "7 for Ada")
    }
}
