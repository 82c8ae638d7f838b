import ScopedInjection
import Testing

// ⟨Recipes.md: static var application⟩ private

extension ScopeValues {
    fileprivate static var jobs: ScopeValue<Jobs> { .lazy { _ in Jobs() } }
}

// ⟨Recipes.md: final class Jobs⟩ private

private actor Mailer {
    @Injected(\.user?.name) private var name
    private(set) var sent: [String] = []

    func send() { sent.append("\(name ?? "nobody") in \(EnvironmentScope.current.name ?? "no scope")") }
}

// ⟨Recipes.md: final class Importer⟩ private

extension ScopeValues {
    fileprivate static var importer: ScopeValue<Importer> { .lazy { _ in Importer() } }
}

@Suite("Documentation: recipes for requests")
struct RecipesRequestsPage {
    @Test("Work that a request starts runs below the application, with the request's user")
    func job() async throws {
        let logger = Logger(label: "jobs")
        let app = EnvironmentScope("app", parent: nil) { $0.logger = logger }
        let mailer = Mailer()
        let respond: @Sendable () async throws -> Void = {
            EnvironmentScope.current.startJob("mail") { await mailer.send() }
            EnvironmentScope.current.startJob("failing") { throw CancellationError() }
        }
        // ⟨Recipes.md: try await app.withChild("request"⟩
        await app.jobs.finish()
        #expect(await mailer.sent == ["Ada in mail"])
        #expect(logger.lines.value.last?.contains("failing: CancellationError()") == true)
    }

    @Test("A request's logger makes no services of its own")
    func logger() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        // ⟨Recipes.md: request.logger⟩
    }

    @Test("A line that the builder of a shared service writes has the request's identifier")
    func metadataProvider() {
        // ⟨Recipes.md: let provider⟩
        let first = EnvironmentScope("first", parent: app) { $0.requestID = "1" }
        let second = EnvironmentScope("second", parent: app) { $0.requestID = "2" }
        #expect(first.noteStore === second.noteStore)
        second { second.logger.info("second") }
        #expect(logger.lines.value == ["[1] opening the store", "[2] second"])
    }

    @Test("A configuration that is set again builds the pool anew, also for requests under way")
    func reload() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.pool.size == 5)

        // ⟨Recipes.md: try app.update⟩
        #expect(app.pool === request.pool)
    }
}
