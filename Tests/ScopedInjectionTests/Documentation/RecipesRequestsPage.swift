import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var application: ScopeValue<EnvironmentScope> { .required() }
}

extension ScopeValues {
    fileprivate static var jobs: ScopeValue<Jobs> { .lazy { _ in Jobs() } }
}

nonisolated private final class Jobs: Sendable {
    typealias Job = @Sendable () async -> Void
    private let queue: AsyncStream<Job>.Continuation
    private let running: Task<Void, Never>

    init() {
        let (jobs, queue) = AsyncStream.makeStream(of: Job.self)
        self.queue = queue
        running = Task.detached {
            await withDiscardingTaskGroup { group in
                for await job in jobs { group.addTask { await job() } }
            }
        }
    }

    func start(_ job: @escaping Job) { queue.yield(job) }

    func finish() async {
        queue.finish()
        await running.value
    }
}

extension EnvironmentScope {
    fileprivate func startJob(
        _ name: String,
        _ work: @escaping @Sendable () async throws -> Void
    ) {
        let (app, user) = (self.application, self.user)
        let logger = self.logger
        self.jobs.start {
            do {
                try await app.withChild(name) {
                    $0.user = user
                } operation: {
                    try await work()
                }
            } catch {
                logger.error("\(name): \(error)")
            }
        }
    }
}

private actor Mailer {
    @Injected(\.user?.name) private var name
    private(set) var sent: [String] = []

    func send() { sent.append("\(name ?? "nobody") in \(EnvironmentScope.current.name ?? "no scope")") }
}

private final class Importer: Sendable {
    let logger = Injected(\.logger)

    func run() -> String { "for \(logger()[metadataKey: "request-id"] ?? "nobody")" }
}

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
        try await app.withChild("request") {
            $0.application = app
            $0.user = User(name: "Ada")
        } operation: {
            try await respond()
        }
        await app.jobs.finish()
        #expect(await mailer.sent == ["Ada in mail"])
        #expect(logger.lines.value.last?.contains("failing: CancellationError()") == true)
    }

    @Test("A request's logger makes no services of its own")
    func logger() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        request.logger[metadataKey: "request-id"] = "1"
        #expect(request.importer === app.importer)
        #expect(request { request.importer.run() } == "for 1")
    }

    @Test("A line that the builder of a shared service writes has the request's identifier")
    func metadataProvider() {
        let provider = Logger.MetadataProvider {
            let id = EnvironmentScope.forLogging.requestID
            return ["request-id": "\(id ?? "none")"]
        }
        let logger = Logger(label: "app", metadataProvider: provider)
        let app = EnvironmentScope("app", parent: nil) {
            $0.logger = logger
            $0.provide(\.noteStore) {
                try $0.logger.info("opening the store")
                return NoteStore(database: try $0.database)
            }
        }
        let first = EnvironmentScope("first", parent: app) { $0.requestID = "1" }
        let second = EnvironmentScope("second", parent: app) { $0.requestID = "2" }
        #expect(first.noteStore === second.noteStore)
        second { second.logger.info("second") }
        #expect(logger.lines.value == ["[1] opening the store", "[2] second"])
    }

    @Test("A configuration that is set again builds the pool anew, also for requests under way")
    func reload() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.pool.size == 5)

        app.limits = Limits(connections: 20)
        #expect(request.pool.size == 20)
        #expect(app.pool === request.pool)
    }
}
