public import ScopedInjection
import Testing

/// What a module wants from another one.
public protocol Payments: Sendable {}
private struct Till: Payments {}
private struct Invoice: Payments {}

// ⟨Modules.md: static var payments⟩

extension ScopeValues {
    fileprivate static var replicaPort: ScopeValue<Int> { .value(0) }
    fileprivate static var commands: ScopeValue<[String]> { .value(["help"]) }
}

@Suite("Documentation: modules")
struct ModulesPage {
    @Test("A scope can decorate a value, and make one an alias of another")
    func changes() {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 9090 }
        let request = EnvironmentScope.empty("request", parent: app)
        // ⟨Modules.md: app.alias⟩

        // ⟨Modules.md: app.decorate⟩

        app.port = 7070
        #expect(request.commands.last == "port 7070")
    }

    @Test("What nobody provided is provided, and what somebody did stays", arguments: [false, true])
    func ifNobodyDid(isInstalled: Bool) {
        let app = EnvironmentScope.empty("app", parent: nil)
        if isInstalled { app.installTill() }
        // ⟨Modules.md: if app.explain⟩
        #expect((app.payments is Till) == isInstalled)
        #expect((app.payments is Invoice) != isInstalled)
    }
}
