import ScopedInjection
import Testing

private var current: EnvironmentScope { .current }

private actor Counter {
    private(set) var count = 0

    func count(in scope: EnvironmentScope) async -> Bool {
        scope {
            preconditionIsolated()
            count += 1
        }
        let wasCurrent = await scope {
            preconditionIsolated()
            count += 1
            await Task.yield()
            preconditionIsolated()
            count += 1
            return current === scope
        }
        await scope { inner in
            preconditionIsolated()
            await Task.yield()
            count += inner.port
        }
        return wasCurrent
    }

    func countWhileConfiguring() async -> EnvironmentScope {
        await EnvironmentScope("configured", parent: nil) { scope in
            preconditionIsolated()
            await Task.yield()
            count += 1
            scope.port = count
        }
    }

    func countInChild(of scope: EnvironmentScope) async {
        await scope.withChild("child") { _ in
            count += 1
        } operation: {
            preconditionIsolated()
            await Task.yield()
            preconditionIsolated()
            count += 1
        }
    }
}

@MainActor private final class Screen {
    var title = ""

    func refresh(in scope: EnvironmentScope) async -> Bool {
        scope { title += "\(current.port)" }
        return await scope {
            MainActor.preconditionIsolated()
            title += "a"
            await Task.yield()
            MainActor.preconditionIsolated()
            title += "b"
            return current === scope
        }
    }
}

@Suite("R7: bodies keep their actor", .programRoots)
struct IsolationTests {
    private let scope = EnvironmentScope("entered", parent: nil) { $0.port = 1 }

    @Test("Code of an actor stays on it and can change the actor's state") func customActor() async {
        let counter = Counter()
        #expect(await counter.count(in: scope))
        #expect(await counter.count == 4)
    }

    @Test("Code of the main actor stays there and can change its state") func mainActor() async {
        let screen = Screen()
        #expect(await screen.refresh(in: scope))
        #expect(await screen.title == "1ab")
    }

    @Test("A body that is bound to the main actor runs there, wherever it is called from") func mainActorBody() async {
        let isCurrent = await scope { @MainActor in
            MainActor.preconditionIsolated()
            await Task.yield()
            return current === scope
        }
        #expect(isCurrent)
    }

    @Test("A scope is configured on the actor that creates it") func configuring() async {
        let counter = Counter()
        let scope = await counter.countWhileConfiguring()
        #expect(scope.port == 1)
    }

    @Test("The operation in a child scope stays on its actor") func child() async {
        let counter = Counter()
        await counter.countInChild(of: scope)
        #expect(await counter.count == 2)
    }
}
