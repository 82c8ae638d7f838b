import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("An update of a test's scope, and of one below")
struct UpdatedScopeTests {
    @Test(
        "What is set is read by what is built from it, before the update is made",
        .withoutIssues,
        .scope(strictness: .failures) {
            $0.port = 1
            $0.host = "h"
        }
    )
    func update() async throws {
        let scope = EnvironmentScope.current
        #expect(scope.address == "h:1")
        try scope.update { $0.port = 2 }
        #expect(scope.localValue(for: \.address) == "h:2")
        try await scope.withChild {
            $0.host = "c"
        } operation: {
            let child = EnvironmentScope.current
            #expect(child.address == "c:2")
            try child.update { $0.host = "d" }
            #expect(child.localValue(for: \.address) == "d:2")
        }
    }
}
