import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let isCurious = ScopeValue(false)
    /// Looks at more than its inputs describe, where that is asked for.
    fileprivate static let curious = ScopeValue { scope in
        if scope.isCurious { _ = scope.graph }
        return scope.isCurious ? 1 : 0
    }
    fileprivate static let ofCurious = ScopeValue { scope in scope.curious }
}

@Suite("R5: a hint names only values")
struct HintKeyTests {
    @Test("A builder that looked at its scope as a whole is followed by hints")
    func overview() async {
        await #expect(processExitsWith: .success) {
            let app = EnvironmentScope.empty("app", parent: nil)
            #expect(app.ofCurious == 0)
            let requests = (0..<3).map { _ in EnvironmentScope("request", parent: app) { $0.isCurious = true } }
            #expect(requests[0].curious == 1)
            // More keys than bits, so that hints are followed from key to key.
            let many = EnvironmentScope.empty("many", parent: app)
            for number in 0..<70 { many[ScopeValue(0)] = number }
            #expect(requests[1].ofCurious == 1)
            #expect(requests[2].ofCurious == 1)
        }
    }
}
