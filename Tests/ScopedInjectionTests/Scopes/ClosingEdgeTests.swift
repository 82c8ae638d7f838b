import ScopedInjection
import Testing

@Suite("R11: cleanups that close scopes")
struct ClosingEdgeTests {
    @Test("Two scopes whose cleanups close each other, closed at once, both close", .timeLimit(.minutes(30)))
    func closingEachOther() async {
        let first = EnvironmentScope.empty(parent: nil)
        let second = EnvironmentScope.empty(parent: nil)
        let inCleanup = Box(0)
        first.onClose { [unowned second] in
            inCleanup.update { $0 += 1 }
            while inCleanup.value < 2 { await Task.yield() }
            await second.close()
        }
        second.onClose { [unowned first] in
            inCleanup.update { $0 += 1 }
            while inCleanup.value < 2 { await Task.yield() }
            await first.close()
        }
        async let one: Void = first.close()
        async let two: Void = second.close()
        _ = await (one, two)
        #expect(first.isClosed)
        #expect(second.isClosed)
    }
}
