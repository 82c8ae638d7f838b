import ScopedInjection
import Testing

private struct Settings: Sendable {
    var url = "https://notes.example"
    var limit = 100
}

extension ScopeValues {
    fileprivate static var settings: ScopeValue<Settings> { .value(Settings()) }
}

@Suite("Documentation: scopes and cascading")
struct ScopesAndCascadingPage {
    @Test("The nearest scope decides")
    func nearest() {
        // ⟨ScopesAndCascading.md: let app⟩

        // ⟨ScopesAndCascading.md: app.user⟩

        // ⟨ScopesAndCascading.md: request.settings⟩
    }

    @Test("Defaults can be forbidden")
    func forbidden() {
        let strict = EnvironmentScope("strict", parent: nil, defaults: .forbidden) { $0.host = "localhost" }
        #expect(strict.host == "localhost")
        #expect(throws: ScopeError.self) { try strict.value(for: \.port) }
    }

    @Test("Code that no scope reaches reads the application's values where its scope is the global one")
    func globalApplication() async {
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
            // ⟨ScopesAndCascading.md: EnvironmentScope.global = app⟩
            let path = await Task.detached { EnvironmentScope.current.databasePath }.value
            if path != "live.db" { fatalError("it read \(path)") }
        }
    }

    @Test("Code that no scope reaches gets an error where the global scope forbids defaults")
    func forbiddingGlobal() async {
        await #expect(processExitsWith: .success) {
            // ⟨ScopesAndCascading.md: EnvironmentScope.global = .empty⟩
            let (path, user) = await Task.detached {
                (try? EnvironmentScope.current.value(for: \.databasePath), EnvironmentScope.current.user)
            }.value
            if path != nil || user != nil { fatalError("it read \(path ?? "nothing")") }
        }
    }
}
