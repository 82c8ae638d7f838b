import ScopedInjection
import Testing

/// A value type that counts how often it is looked through.
private struct Counted: CustomReflectable, Sendable {
    let looks: Box<Int>
    var port: Injected<Int>?

    var customMirror: Mirror {
        looks.update { $0 += 1 }
        return Mirror(self, children: port.map { ["port": $0] } ?? [:])
    }
}

extension ScopeValues {
    fileprivate static let counted = ScopeValue<Counted>.required()
}

@Suite("R8: what a binding looks through in the scope's values")
struct StoredLayersTests {
    private struct Handler { let port = Injected(\.port) }

    @Test("A value without references is looked through once, however many requests bind something")
    func once() {
        let looks = Box(0)
        let app = EnvironmentScope("app", parent: nil) { $0[ScopeValues.counted] = Counted(looks: looks) }
        for _ in 0..<10 { EnvironmentScope.empty("request", parent: app).replace(in: Handler()) }
        #expect(looks.value == 1)
    }

    @Test("So is the one that takes its place, which may have some")
    func replaced() {
        let watch = LifetimeWatch()
        do {
            let app = watch.add(EnvironmentScope.empty("app", parent: nil))
            let looks = Box(0)
            app[ScopeValues.counted] = Counted(looks: looks)
            app.replace(in: Handler())
            let handler = Handler()
            app[ScopeValues.counted] = Counted(looks: looks, port: handler.port)
            for _ in 0..<3 { app.replace(in: handler) }
        }
        #expect(watch.alive == 0)
    }

    @Test("What a builder binds through another scope is an input")
    func inBuilder() {
        let side = EnvironmentScope.empty("side", parent: nil)
        let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        app.provide(HostKey.self) { _ in "\(side.replaceInValues()) bound" }
        #expect(app.host == "0 bound")
        side.anything = Handler()
        #expect(app.host == "1 bound")
    }

    // In a process of its own, because the global scope belongs to the whole process.
    @Test("A reference owns no scope that comes to lie below a global one with its object", arguments: [true, false])
    func global(isStoredFirst: Bool) async {
        await #expect(processExitsWith: .success) { [isStoredFirst] in
            let service = BoundService()
            let next = EnvironmentScope.empty("next", parent: nil)
            weak var gone: EnvironmentScope?
            do {
                let app = EnvironmentScope.empty("app", parent: .global)
                app.replace(in: service)
                if isStoredFirst { next.service = service }
                EnvironmentScope.global = next
                if !isStoredFirst { next.service = service }
                gone = app
                withExtendedLifetime(app) { #expect(service.port() == 8080) }
            }
            #expect(gone == nil)
        }
    }
}
