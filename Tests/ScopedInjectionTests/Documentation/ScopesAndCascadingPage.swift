import ScopedInjection
import Testing

private struct Settings: Sendable {
    var url = "https://notes.example"
    var limit = 100
}
private enum SettingsKey: ScopeKey { static var defaultValue: Settings { Settings() } }
private enum ReplicaPortKey: ScopeKey { static let defaultValue = 0 }

extension EnvironmentScope {
    fileprivate var settings: Settings {
        get { self[SettingsKey.self] }
        set { self[SettingsKey.self] = newValue }
    }
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

        request.removeValue(for: PortKey.self)
        #expect(request.port == 9090)

        app.user = User(name: "Ada")
        request.user = nil
        #expect(request.user == nil)
        #expect(app.user?.name == "Ada")

        request.settings.url = "https://test.example"
        #expect(request.settings.limit == app.settings.limit)
        #expect(app.settings.url == "https://notes.example")

        app.alias(ReplicaPortKey.self, to: PortKey.self)
        #expect(app[ReplicaPortKey.self] == 9090)

        app[ReplicaPortKey.self] = 5432
        #expect(app.port == 5432)

        let other = EnvironmentScope("other", parent: nil) { $0.port = 7070 }
        request.parent = other
        #expect(request.port == 7070)
    }

    @Test("Defaults can be forbidden")
    func forbidden() {
        let strict = EnvironmentScope("strict", parent: nil, defaults: .forbidden) { $0.host = "localhost" }
        #expect(strict.host == "localhost")
        #expect(throws: ScopeError.self) { try strict.value(for: PortKey.self) }
    }
}
