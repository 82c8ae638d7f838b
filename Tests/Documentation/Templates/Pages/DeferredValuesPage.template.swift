import ScopedInjection
import Testing

private actor Connection {
    let path: String
    private(set) var isOpen = true

    private init(_ path: String) { self.path = path }

    static func open(_ path: String) async throws -> Connection { Connection(path) }

    func close() { isOpen = false }
}

// ⟨DeferredValues.md: static var connection⟩ private

nonisolated private final class Search: Sendable {
    let link: Connection
    init(_ link: Connection) { self.link = link }
}

extension ScopeValues {
    fileprivate static var link: ScopeValue<Connection> { .required() }
    fileprivate static var search: ScopeValue<Search> { .lazy { Search(try $0.link) } }
}

@Suite("Documentation: async values")
struct DeferredValuesPage {
    @Test("A value whose making waits is made once, and closed with the scope that keeps it")
    func deferred() async throws {
        let app = EnvironmentScope("app", parent: nil) { $0.databasePath = "live.db" }
        let first = EnvironmentScope.empty("first", parent: app)
        let second = EnvironmentScope.empty("second", parent: app)
        #expect(first.connection.valueIfReady == nil)
        // ⟨DeferredValues.md: let connection⟩
    }

    @Test("What is awaited as the application is configured is plain for what is built from it, and closed with it")
    func plain() async throws {
        // ⟨DeferredValues.md: let app⟩
        let link = app.search.link
        await app.close()
        #expect(await !link.isOpen)
    }
}
