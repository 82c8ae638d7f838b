public import ScopedInjection
import Testing

/// What a module wants from another one.
public protocol Payments: Sendable {}
private struct Till: Payments {}

// ⟨Modules.md: static var payments⟩

extension ScopeValues {
    fileprivate static var commands: ScopeValue<[String]> { .value(["help"]) }
}

@Suite("Documentation: modules")
struct ModulesPage {
    @Test("A scope can decorate a value, and a module is installed in it")
    func changes() {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 5432 }
        let request = EnvironmentScope.empty("request", parent: app)
        // ⟨Modules.md: app.decorate⟩

        app.installTill()
        #expect(app.payments is Till)

        app.port = 7070
        #expect(request.commands.last == "port 7070")
    }
}
