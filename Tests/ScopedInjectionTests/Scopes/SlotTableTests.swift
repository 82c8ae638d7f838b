import Testing

@testable import ScopedInjection

@Suite("R3: a scope with many values")
struct SlotTableTests {
    @Test("It holds nothing of the scope of its size before it", arguments: [30, 60, 120, 500])
    func oneAfterTheOther(count: Int) {
        let values = (0..<count).map { ScopeValue($0) }
        let others = (0..<count).map { ScopeValue(-$0) }
        for round in 1...3 {
            let scope = EnvironmentScope.empty(parent: nil)
            for value in values { scope[value] = round }
            #expect(values.allSatisfy { scope[$0] == round })
            let next = EnvironmentScope.empty(parent: nil)
            for value in others { next[value] = -round }
            #expect(others.allSatisfy { next[$0] == -round })
            #expect(values.enumerated().allSatisfy { next[$0.element] == $0.offset })
        }
    }

    @Test("It lets go of each value once, whichever scope has its room next", arguments: [30, 60, 120, 500])
    func releases(count: Int) {
        final class Counted: Sendable {
            let alive: Box<Int>
            init(_ alive: Box<Int>) {
                self.alive = alive
                alive.update { $0 += 1 }
            }
            deinit { alive.update { $0 -= 1 } }
        }
        let alive = Box(0)
        let values = (0..<count).map { _ in ScopeValue<Counted?>() }
        for _ in 0..<3 {
            do {
                let scope = EnvironmentScope.empty(parent: nil)
                for value in values { scope[value] = Counted(alive) }
                #expect(alive.value == count)
            }
            #expect(alive.value == 0)
        }
    }

    @Test("Threads that share a place for spare room never get the same")
    func threads() async {
        let values = (0..<40).map { ScopeValue($0) }
        await withTaskGroup(of: Bool.self) { group in
            for task in 1...8 {
                group.addTask {
                    (0..<500).allSatisfy { round in
                        let scope = EnvironmentScope.empty(parent: nil)
                        for value in values { scope[value] = task * 1_000 + round }
                        return values.allSatisfy { scope[$0] == task * 1_000 + round }
                    }
                }
            }
            #expect(await group.allSatisfy { $0 })
        }
    }

    @Test("Spare room of another size is not taken")
    func sizes() {
        for (left, wanted) in [(64, 128), (64, 256), (128, 256), (256, 64)] {
            let spare = SlotTable.make(left, .shared)
            SlotTable.free(spare, left, .shared)
            let table = SlotTable.make(wanted, .shared)
            #expect(table != spare)
            SlotTable.free(table, wanted, .shared)
        }
    }
}
