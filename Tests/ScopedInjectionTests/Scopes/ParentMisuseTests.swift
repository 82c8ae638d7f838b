import ScopedInjection
import Testing

@Suite("R10: parents that go round in a circle end the program with the error's text")
struct ParentMisuseTests {
    @Test("Giving the global scope a parent")
    func parentOfGlobal() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            EnvironmentScope.global.parent = EnvironmentScope.empty("app", parent: nil)
        }
        expect(
            result,
            saysExactly: """
                The global scope cannot have a parent.
                  To fix it: put a scope of yours in its place (EnvironmentScope.global = …), or below it.
                """
        )
    }

    @Test("Making a scope that has a parent the global one")
    func globalWithParent() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            EnvironmentScope.global = EnvironmentScope.empty("app")
        }
        expect(
            result,
            saysExactly: """
                "app" has a parent, so it cannot be the global scope.
                  To fix it: make it with parent: nil, or take its parent away first (scope.parent = nil).
                """
        )
    }

    @Test("Making a scope an ancestor of its parent")
    func cyclicParents() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            let session = EnvironmentScope.empty("session", parent: app)
            let request = EnvironmentScope.empty("request", parent: session)
            app.parent = request
        }
        expect(
            result,
            saysExactly: """
                "request" lies below "app" already, so it cannot be the parent of "app".
                  To fix it: give "request" another parent first, or none.
                """
        )
    }

    @Test("Making a scope its own parent")
    func parentOfItself() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.parent = app
        }
        expect(result, saysExactly: #""app" cannot be its own parent."#)
    }
}
