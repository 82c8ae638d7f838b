import ScopedInjection
import Testing

@Suite(
    "R18: a change of the scope itself, in the closure of its update, ends the program",
    .programRoots,
    .timeLimit(.minutes(10))
)
struct UpdateMisuseTests {
    private static let advice = "  To fix it: change it in the scope that the closure is given: update"

    @Test("A set: the whole text")
    func set() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            try app.update { _ in app.quota = 1 }
        }
        expect(
            result,
            saysExactly: """
                An update of "app" changes quota in "app" itself, before it is made.
                \(Self.advice) { $0.quota … }.
                """
        )
    }

    @Test("A provider, a decoration, and the set of a value that the scope has already")
    func others() async {
        let provide = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            try app.update { _ in app.provide(\.quota) { _ in 1 } }
        }
        expect(provide, says: #"An update of "app" changes quota in "app" itself"#)
        let decorate = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            try app.update { _ in app.decorate(\.quota) { inherited, _ in inherited } }
        }
        expect(decorate, says: #"An update of "app" changes quota in "app" itself"#)
        let again = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil).with(\.quota, 1)
            try app.update { _ in app.quota += 1 }
        }
        expect(again, says: #"An update of "app" changes quota in "app" itself"#)
    }

    @Test("A removal")
    func removals() async {
        let removal = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            try app.update { _ in app.removeValue(for: \.quota) }
        }
        expect(removal, says: #"An update of "app" changes quota in "app" itself"#)
    }

    @Test("A set in a scope that is entered in the closure, and in an asynchronous closure")
    func elsewhere() async {
        let inner = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            try app.update { scope in EnvironmentScope.empty("inner", parent: scope)() { app.quota = 1 } }
        }
        expect(inner, says: #"An update of "app" changes quota in "app" itself"#)
        let reload = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            try await app.reload { _ in
                await Task.yield()
                app.quota = 1
            }
        }
        expect(reload, says: #"An update of "app" changes quota in "app" itself"#)
    }

    @Test("Another scope may be changed in the closure")
    func otherScope() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let other = EnvironmentScope.empty("other", parent: app)
        try app.update { _ in other.quota = 3 }
        #expect(other.quota == 3)
    }
}
