import ScopedInjection
import ScopedInjectionTesting
import Testing

nonisolated private func makeApp() -> EnvironmentScope {
    EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
}

// ⟨Testing.md: struct SharedDatabase⟩ private

@Suite(SharedDatabase(), .scope(parent: .current))
struct SlowTests {
    @Test func sharesTheDatabase() {
        let path = EnvironmentScope.current.database.path
        #expect(path == "suite.db")
    }
}

@Suite("Documentation: testing")
struct TestingPage {
    // ⟨Testing.md: func servesTheUser⟩

    // ⟨Testing.md: func readsAnotherFile⟩
}
