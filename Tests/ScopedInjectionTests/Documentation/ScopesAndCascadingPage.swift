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
        let app = EnvironmentScope("app", parent: nil) { $0.port = 9090 }
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.port == 9090)

        request.port = 1
        #expect(request.port == 1)
        #expect(app.port == 9090)

        request.removeValue(for: \.port)
        #expect(request.port == 9090)

        app.user = User(name: "Ada")
        request.user = nil
        #expect(request.user == nil)
        #expect(app.user?.name == "Ada")

        request.settings.url = "https://test.example"
        #expect(request.settings.limit == app.settings.limit)
        #expect(app.settings.url == "https://notes.example")
    }

    @Test("A scope can decorate a value, and make one an alias of another")
    func changes() {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 9090 }
        let request = EnvironmentScope.empty("request", parent: app)
        app.alias(\.replicaPort, to: \.port)
        #expect(app.replicaPort == 9090)

        app.port = 5432
        #expect(app.replicaPort == 5432)

        app.decorate(\.commands) { commands, _ in commands + ["export"] }
        app.decorate(\.commands) { commands, _ in commands + ["import"] }
        #expect(app.commands == ["help", "export", "import"])

        request.decorate(\.commands) { commands, reader in commands + ["port \(try reader.port)"] }
        #expect(request.commands.last == "port 5432")
        #expect(request.commands.count == 4)

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
