import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let ofScope = ScopeValue<String>(.scoped) { _ in "one" }
    fileprivate static let sometimes = ScopeValue<String>.required(name: "sometimes")
    fileprivate static let result = ScopeValue<String>.required(name: "result")
}

/// A value that a scope keeps for itself alone, and its parent for all, because the builder pins only sometimes.
@Suite("R2: a value that is kept for one scope alone, and for all beside that")
struct PinnedBesideTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let request: EnvironmentScope
    private let builds = Box(0)

    init() {
        request = EnvironmentScope.empty("request", parent: app)
        let pins = Box(true)
        app.provide(\.sometimes) { scope in pins.value ? scope.ofScope : "all" }
        #expect(request.sometimes == "one")
        pins.value = false
        #expect(app.sometimes == "all")
        #expect(request.sometimes == "one")
    }

    /// Provides a value that is built from both, once or twice for a change that another thread makes.
    private func provideResult(changing change: Bool) {
        let builds = builds
        request.provide(\.result) { [unowned app] scope in
            builds.update { $0 += 1 }
            let own = EnvironmentScope.empty("own", parent: scope)
            let further = EnvironmentScope.empty("further", parent: own)
            let text = "\(further.sometimes), \(scope.sometimes)"
            if change { onThread { app.port += 1 }.wait() }
            return text
        }
    }

    @Test("A builder may be built from both", arguments: [false, true])
    func both(changing change: Bool) {
        provideResult(changing: change)
        #expect(request.result == "all, one")
        app.port = 5
        #expect(request.result == "all, one")
        #expect(builds.value == 1)
    }

    @Test("It is built again when the one that is for all is")
    func rebuilt() {
        provideResult(changing: false)
        #expect(request.result == "all, one")
        app.provide(\.sometimes) { _ in "new" }
        #expect(request.result == "new, new")
        #expect(builds.value == 2)
    }
}
