import ScopedInjection
import Testing

private struct Settings: Sendable {
    var url = "https://notes.example"
    var limit = 100
}

extension ScopeValues {
    fileprivate static var settings: ScopeValue<Settings> { .value(Settings()) }
    fileprivate static var replicaPort: ScopeValue<Int> { .value(0) }
    fileprivate static var commands: ScopeValue<[String]> { .value(["help"]) }
}

@Suite("Documentation: scopes and cascading")
struct ScopesAndCascadingPage {
    @Test("The nearest scope decides")
    func nearest() {
        // ⟨ScopesAndCascading.md: let app⟩

        // ⟨ScopesAndCascading.md: app.user⟩

        // ⟨ScopesAndCascading.md: request.settings⟩
    }

    @Test("A scope can decorate a value, and make one an alias of another")
    func changes() {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 9090 }
        let request = EnvironmentScope.empty("request", parent: app)
        // ⟨ScopesAndCascading.md: app.alias⟩

        // ⟨ScopesAndCascading.md: app.decorate⟩

        app.port = 7070
        #expect(request.commands.last == "port 7070")
    }

    @Test("Defaults can be forbidden")
    func forbidden() {
        let strict = EnvironmentScope("strict", parent: nil, defaults: .forbidden) { $0.host = "localhost" }
        #expect(strict.host == "localhost")
        #expect(throws: ScopeError.self) { try strict.value(for: \.port) }
    }
}
