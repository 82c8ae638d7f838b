import ScopedInjection
import Testing

// ⟨Logging.md: final class Importer⟩ private

extension ScopeValues {
    fileprivate static var importer: ScopeValue<Importer> { .lazy { _ in Importer() } }
}

@Suite("Documentation: a logger for each request")
struct LoggingPage {
    @Test("A request's logger makes no services of its own")
    func logger() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        // ⟨Logging.md: request.logger⟩
    }

    @Test("A line that the builder of a shared service writes has the request's identifier")
    func metadataProvider() {
        // ⟨Logging.md: let provider⟩
        let first = EnvironmentScope("first", parent: app) { $0.requestID = "1" }
        let second = EnvironmentScope("second", parent: app) { $0.requestID = "2" }
        #expect(first.noteStore === second.noteStore)
        second { second.logger.info("second") }
        #expect(logger.lines.value == ["[1] opening the store", "[2] second"])
    }
}
