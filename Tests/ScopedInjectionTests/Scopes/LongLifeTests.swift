import Testing

@testable import ScopedInjection

@Suite("A process that runs for weeks keeps nothing of what is over")
struct LongLifeTests {
    @Test("A run of cleanups does not keep those before it, each of which started the next", .timeLimit(.minutes(30)))
    func generations() async {
        let runs = Box<[WeakRun]>([])
        let alive = Box(0)
        let isOver = Barrier()
        let last = 100

        @Sendable func generation(_ number: Int) async {
            let isClosed = Barrier()
            let scope = EnvironmentScope.empty(parent: nil)
            scope.onClose { [unowned scope] in
                let run = WeakRun(run: scope.rare?.state.withLock { $0.closing.run })
                runs.update { $0.append(run) }
                if number == last {
                    alive.value = runs.value.count { $0.run != nil }
                    isOver.open()
                } else {
                    Task {
                        await isClosed.pass()
                        await generation(number + 1)
                    }
                }
            }
            await scope.close()
            isClosed.open()
        }

        await generation(0)
        await isOver.pass()
        // A task that has not quite ended keeps the run that it was started in.
        #expect(alive.value < last / 2)
    }

    private struct WeakRun: Sendable {
        weak var run: CleanupRun?
    }
}
