import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var jobs: ScopeValue<Jobs> { .lazy { _ in Jobs() } }
}

// ⟨BackgroundWork.md: final class Jobs⟩ private

private actor Mailer {
    @Injected(\.user?.name) private var name
    private(set) var sent: [String] = []

    func send() { sent.append("\(name ?? "nobody") in \(EnvironmentScope.current.name ?? "no scope")") }
}

@Suite("Documentation: background work")
struct BackgroundWorkPage {
    @Test("Work that a request starts runs below the application, with the request's user")
    func job() async throws {
        let logger = Logger(label: "jobs")
        let app = EnvironmentScope("app", parent: nil) { $0.logger = logger }
        let mailer = Mailer()
        let respond: @Sendable () async throws -> Void = {
            EnvironmentScope.current.startJob("mail") { await mailer.send() }
            EnvironmentScope.current.startJob("failing") { throw CancellationError() }
        }
        try await app.withChild("request", role: .request) {
            $0.application = app
            $0.user = User(name: "Ada")
        } operation: {
            try await respond()
        }
        await app.jobs.finish()
        #expect(await mailer.sent == ["Ada in mail"])
        #expect(logger.lines.value.last?.contains("failing: CancellationError()") == true)
    }
}
