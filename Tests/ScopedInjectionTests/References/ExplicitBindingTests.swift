import ScopedInjection
import Testing

private struct Settings: Sendable {
    let port: Injected<Int>

    init(scope: EnvironmentScope? = nil) { port = Injected(\.port, scope: scope) }
}

private enum SettingsKey: ScopeKey { typealias Value = Settings }

/// A reference that was given its scope keeps it, wherever it lies, until it is given another one.
@Suite("R8: a scope given by `scope:` or `$x.scope` is always owned")
struct ExplicitBindingTests {
    /// How a scope came to know of bound references before a value is stored in it.
    enum Known: CaseIterable { case nothing, otherObject, sameReference }

    /// Returns the port as read once the scope is held by the reference alone; lets go of the scope then.
    private func portHeld(
        by reference: Injected<Int>,
        _ watch: LifetimeWatch,
        storing: (EnvironmentScope) -> Void
    ) -> Int? {
        do {
            let app = watch.add(EnvironmentScope("app", parent: nil) { $0.port = 1 })
            storing(app)
        }
        let port = watch.alive == 1 ? reference() : nil
        reference.scope?[SettingsKey.self] = Settings()
        reference.scope?[BoundServiceKey.self] = BoundService()
        reference.scope = nil
        return port
    }

    @Test("A reference in a value type goes on owning it when that is stored there", arguments: Known.allCases)
    func valueType(_ known: Known) {
        let watch = LifetimeWatch()
        let settings = Settings()
        let port = portHeld(by: settings.port, watch) { app in
            if known == .otherObject { app.replace(in: BoundService()) }
            if known == .sameReference { app.replace(in: settings) }
            settings.port.scope = app
            app[SettingsKey.self] = settings
        }
        #expect(port == 1)
        #expect(watch.alive == 0)
    }

    @Test("So does a reference in an object", arguments: Known.allCases)
    func object(_ known: Known) {
        let watch = LifetimeWatch()
        let service = BoundService()
        let port = portHeld(by: service.port, watch) { app in
            if known == .otherObject { app.replace(in: BoundService()) }
            if known == .sameReference { app.replace(in: service) }
            service.port.scope = app
            app[BoundServiceKey.self] = service
        }
        #expect(port == 1)
        #expect(watch.alive == 0)
    }

    @Test("So does a reference that is made with its scope")
    func made() throws {
        let watch = LifetimeWatch()
        var made: Injected<Int>?
        do {
            let app = watch.add(EnvironmentScope("app", parent: nil) { $0.port = 1 })
            let settings = Settings(scope: app)
            app.replace(in: BoundService())
            app[SettingsKey.self] = settings
            made = settings.port
        }
        try #require(watch.alive == 1)
        #expect(made?() == 1)
        made?.scope?[SettingsKey.self] = Settings()
        made?.scope = nil
        #expect(watch.alive == 0)
    }

    @Test("A reference that `replace(in:)` binds afterwards does not own it")
    func replaced() {
        let watch = LifetimeWatch()
        let settings = Settings()
        do {
            let app = watch.add(EnvironmentScope("app", parent: nil) { $0.port = 1 })
            settings.port.scope = app
            app.replace(in: settings)
            app[SettingsKey.self] = settings
        }
        #expect(watch.alive == 0)
    }
}
