import ScopedInjection
import Testing

private var current: EnvironmentScope { .current }

@Suite("R7: how far a scope reaches", .programRoots)
struct ReachTests {
    private let scope = EnvironmentScope("entered", parent: nil) { $0.port = 1 }

    @Test("Child tasks inherit the scope") func childTasks() async {
        await scope {
            async let first = current
            let second = await withTaskGroup(of: EnvironmentScope.self) { group in
                group.addTask { current }
                return await group.next()
            }
            let third = await withDiscardingTaskGroup { group in
                let seen = Box<EnvironmentScope?>(nil)
                group.addTask { seen.value = current }
                return seen
            }
            #expect(await first === scope)
            #expect(second === scope)
            #expect(third.value === scope)
        }
    }

    @Test("A child task that enters another scope leaves its parent's alone") func childTaskEntering() async {
        let other = EnvironmentScope.empty("other", parent: nil)
        await scope {
            async let inner = other { current }
            #expect(await inner === other)
            #expect(current === scope)
        }
    }

    @Test("An unstructured task inherits the scope, also after the body has ended") func unstructuredTask() async {
        let (opened, open) = AsyncStream.makeStream(of: Void.self)
        let task = scope {
            Task {
                for await _ in opened {}
                return current
            }
        }
        #expect(current !== scope)
        open.finish()
        #expect(await task.value === scope)
    }

    @Test("Code elsewhere does not inherit the scope", arguments: Elsewhere.allCases)
    func elsewhere(_ place: Elsewhere) async {
        await scope {
            let isGlobal = await place.run {
                // Another test may replace the global scope between the two.
                let before = EnvironmentScope.global
                let seen = current
                return seen === before || seen === EnvironmentScope.global
            }
            #expect(isGlobal)
            #expect(current === scope)
        }
    }

    @Test("A scope entered elsewhere is current there", arguments: Elsewhere.allCases)
    func entered(_ place: Elsewhere) async {
        let scope = scope
        #expect(await place.run { scope { current === scope } })
    }
}
