import Testing

@testable import ScopedInjection

@Suite("A process that runs for weeks keeps nothing of what is over")
struct LongLifeTests {
    @Test("A run of cleanups does not keep those before it, each of which started the next", .timeLimit(.minutes(30)))
    func generations() async {
        let runs = Box<[WeakPlace]>([])
        let alive = Box(0)
        let isOver = Barrier()
        let last = 100

        @Sendable func generation(_ number: Int) async {
            let isClosed = Barrier()
            let scope = EnvironmentScope.empty(parent: nil)
            scope.onClose {
                runs.update { $0.append(WeakPlace(place: RunPlace.current)) }
                if number == last {
                    alive.value = runs.value.count { $0.place != nil }
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

    @Test("A scope that had many values takes no room for them when they are removed", arguments: [false, true])
    func manyValues(atOnce: Bool) throws {
        let scope = EnvironmentScope.empty(parent: nil)
        let node = try #require(scope.node)
        let values = (0..<1_000).map { ScopeValue($0) }
        for value in values { scope[value] = 1 }
        #expect(node.pointee.capacity >= 1_000)
        if atOnce { scope.removeAll() } else { for value in values.dropFirst(2) { scope.removeValue(for: value) } }
        #expect(node.pointee.capacity <= 32)
        #expect(scope[values[1]] == 1)
        #expect(scope[values[999]] == 999)
    }

    @Test("A scope with many values that sets and removes ever other ones is seldom laid out anew")
    func otherValues() throws {
        let scope = EnvironmentScope.empty(parent: nil)
        let node = try #require(scope.node)
        // As many as fit into the table.
        for number in 0..<95 { scope[ScopeValue(number)] = 1 }
        var layouts = 0
        var slots = node.pointee.slots
        for number in 0..<1_000 {
            let value = ScopeValue(number)
            scope[value] = 1
            scope.removeValue(for: value)
            if node.pointee.slots != slots { layouts += 1 }
            slots = node.pointee.slots
        }
        #expect(layouts < 100)
    }

    @Test("A scope with many values still decides on those that share a bit with one that is removed")
    func sharedBits() throws {
        let app = EnvironmentScope.empty("app", parent: nil)
        let scope = EnvironmentScope.empty(parent: app)
        let node = try #require(scope.node)
        let values = (0..<200).map { ScopeValue($0) }
        for value in values { scope[value] = 1 }
        for removed in values.indices {
            scope.removeValue(for: values[removed])
            let bits = values[(removed + 1)...].reduce(Mask.pinned) { $0 | $1.valueKey.bit }
            try #require(node.pointee.decides == bits)
        }
    }

    @Test("A list of inputs keeps no room for the many that it once had", arguments: [false, true])
    func manyInputs(isHandedOver: Bool) {
        var list = InputList()
        let key = ValueKey.key(of: PortKey.self).address
        for number in 1...1_000 {
            let input = Input(fact: .value, level: 0, key: key, version: UInt64(number))
            _ = list.add(input, 0, false)
        }
        #expect(list.capacity >= 1_000)
        if isHandedOver { list.handOver() } else { list.removeAll() }
        #expect(list.capacity <= 64)
        #expect(list.all.isEmpty)
    }

    private struct WeakPlace: Sendable {
        weak var place: RunPlace?
    }
}
