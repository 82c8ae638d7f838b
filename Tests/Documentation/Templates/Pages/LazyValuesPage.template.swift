import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var greeting: ScopeValue<String> {
        .lazy { "\(try $0.user?.name ?? "nobody"), 0 notes in \(try $0.noteStore.database.path)" }
    }
}

@Suite("Documentation: lazily built values")
struct LazyValuesPage {
    @Test("Values are where the pictures show them")
    func placement() {
        // ⟨LazyValues.md: let app⟩

        // ⟨LazyValues.md: second.databasePath⟩

        // ⟨LazyValues.md: first.user⟩

        app.provide(\.database) { try SQLite(path: "new \($0.databasePath)") }
        #expect(first.noteStore.database.path == "new live.db")
    }
}
