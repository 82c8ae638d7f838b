import Dispatch
import ScopedInjection
import Testing

private struct PortHandler: Sendable {
    @Injected(\.port) private var port
    func run() -> Int { port }
}

private final class Session: Sendable {}

private actor Journal {
    private(set) var lines: [String] = []
    func write(_ line: String) { lines.append(line) }
}

extension ScopeValues {
    fileprivate static var journal: ScopeValue<Journal> {
        .lazy {
            let journal = Journal()
            $0.onClose { await journal.write("journal ended") }
            return journal
        }
    }
}

extension ScopeValues {
    fileprivate static var session: ScopeValue<Session> {
        .lazy {
            let (session, journal) = (Session(), try $0.journal)
            $0.onClose { await journal.write("session ended") }
            return session
        }
    }
}

// As in ServiceLifecycle.
private protocol Service: Sendable { func run() async throws }
private func gracefulShutdown() async throws {}
private struct Server: Service { func run() async throws {} }

// ⟨Recipes.md: struct ScopeService⟩ private

private final class Model: Sendable { let database = Injected(\.database) }

@Suite("Documentation: recipes for running and stopping")
struct RecipesRunningPage {
    let request = EnvironmentScope("request", parent: nil) { $0.port = 7 }

    @Test("A queue runs what was bound in its scope")
    func queue() async {
        let queue = DispatchQueue(label: "documentation")
        let handler = PortHandler()
        let answer = await withCheckedContinuation { continuation in
            let done: @Sendable (Int) -> Void = { continuation.resume(returning: $0) }
            request {
                queue.async(execute: EnvironmentScope.current.bind { done(handler.run()) })
            }
        }
        #expect(answer == 7)
    }

    @Test("A scope that is a service closes what was built from others first")
    func services() async throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let (server, journal) = (Server(), app.journal)
        _ = app.session
        let services: [any Service] = [ScopeService(scope: app), server]
        for service in services.reversed() { try await service.run() }
        #expect(await journal.lines == ["session ended", "journal ended"])
    }

    @Test("A tool has one scope, and a preview has a standalone one")
    func tool() async throws {
        let exported = Box("")
        let export: @Sendable () async throws -> Void = {
            let path = try EnvironmentScope.current.value(for: \.database).path
            exported.update { $0 = path }
        }
        let tool = EnvironmentScope("tool", parent: nil) { $0.databasePath = "export.db" }
        try await tool { try await export() }
        await tool.close()
        #expect(exported.value == "export.db")

        let model = Model()
        // ⟨Recipes.md: let preview⟩
        #expect(model.database().path == ":memory:")
    }
}
