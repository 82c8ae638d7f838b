import ScopedInjection
import Testing

@Suite("R1: the nearest scope of the chain decides")
struct CascadeTests {
    @Test("A value that no scope sets is the key's default")
    func defaults() {
        let scope = EnvironmentScope.empty(parent: nil)
        #expect(scope.port == 8080)
        #expect(scope.user == nil)
    }

    @Test("A scope returns its own value, or else its parent's")
    func nearestWins() {
        let app = EnvironmentScope("app", parent: nil) { $0.port = 1 }
        let request = EnvironmentScope.empty("request", parent: app)
        #expect(request.port == 1)
        app.port = 2
        #expect(request.port == 2)
        request.port = 3
        #expect(request.port == 3)
        #expect(app.port == 2)
        request.removeValue(for: PortKey.self)
        #expect(request.port == 2)
    }

    @Test("Setting a part of a value sets a copy of the whole in that scope")
    func partialSet() {
        let root = EnvironmentScope.empty("root", parent: nil)
        let app = EnvironmentScope.empty("app", parent: root)
        let request = EnvironmentScope.empty("request", parent: app)
        root.user = User(name: "Ada")
        request.user?.name = "Grace"
        #expect(request.user == User(name: "Grace"))
        #expect(app.user == User(name: "Ada"))
    }
}
