import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var greeting: ScopeValue<String> {
        .lazy { "\(try $0.user?.name ?? "nobody"), 0 notes in \(try $0.noteStore.database.path)" }
    }
}

struct Limits: Sendable { var connections = 5 }

actor Pool {
    let size: Int
    private(set) var isShutDown = false
    init(size: Int) { self.size = size }
    func shutdown() { isShutDown = true }
}

// ⟨LazyValues.md: static var pool⟩

private actor Connection {
    let path: String
    private(set) var isOpen = true

    private init(_ path: String) { self.path = path }

    static func open(_ path: String) async throws -> Connection { Connection(path) }

    func close() { isOpen = false }
}

// ⟨LazyValues.md: static var connection⟩ private

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

    @Test("A value is cleaned up when another is built in its place")
    func replaced() async {
        let app = EnvironmentScope.empty("app", parent: nil)
        // ⟨LazyValues.md: let pool = app.pool⟩
    }

    @Test("A value whose making waits is made once, and closed with the scope that keeps it")
    func deferred() async throws {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let first = EnvironmentScope.empty("first", parent: app)
        let second = EnvironmentScope.empty("second", parent: app)
        #expect(first.connection.valueIfReady == nil)
        // ⟨LazyValues.md: let connection⟩
    }
}
