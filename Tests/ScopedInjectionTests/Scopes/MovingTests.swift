import ScopedInjection
import Testing

extension ScopeValues {
    // No other test decides on it, so no scope that has a parent has done so.
    fileprivate static let early = ScopeValue("none")
    fileprivate static let ofEarly = ScopeValue { scope in "of " + scope.early }
}

@Suite("R3: a scope that gets a parent later")
struct MovingTests {
    @Test("What it decided on before overrides the inputs of what the parent keeps", arguments: [true, false])
    func decidedBefore(isSet: Bool) {
        let app = EnvironmentScope.empty("app", parent: nil)
        let request = EnvironmentScope.empty("request", parent: nil)
        if isSet { request.early = "request" } else { request.provide(\.early) { _ in "request" } }
        #expect(app.ofEarly == "of none")
        request.parent = app
        #expect(request.ofEarly == "of request")
        #expect(app.ofEarly == "of none")
    }
}
