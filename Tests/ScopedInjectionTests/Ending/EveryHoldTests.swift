import ScopedInjection
import Testing

@Suite("R11: in every interleaving an end begins with the last release, once, and each call for it returns")
struct EveryHoldTests {
    private typealias Step = HoldsWorld.Step

    private static let endsOfUsers: [[Step]] = [[.change(.transaction)], [.turn(.session)]]
    /// The page is built from the pool meanwhile, and kept, or not.
    private static let builds: [[Step]] = [
        [], [.read(.pool), .keep(.page), .change(.page)], [.read(.pool), .throwAway(.pool)],
    ]
    private static let calls: [[Step]] = [[], [.call(.pool)], [.call(.file)], [.call(.pool), .giveUp]]
    private static let bodies: [[Step]] = [[], [.enter, .leave]]

    private func explore(_ tasks: [[Step]], _ location: SourceLocation = #_sourceLocation) -> Int {
        let (broken, count) = HoldsWorld.explore(tasks)
        if let broken { Issue.record("\(broken)", sourceLocation: location) }
        return count
    }

    @Test("A change and a closing of what was built from it, with a body, a build and a call") func change() {
        var count = 0
        for build in Self.builds {
            for call in Self.calls {
                for body in Self.bodies { count += explore(Self.endsOfUsers + [[.change(.pool)], build, call, body]) }
            }
        }
        #expect(count > 20_000)
    }

    @Test("A closing takes turns when nobody is inside, and what it was built from comes after") func closing() {
        for build in Self.builds where !build.contains(.keep(.page)) {
            for call in Self.calls {
                for body in Self.bodies {
                    _ = explore([
                        [.turn(.session), .turn(.transaction), .turn(.pool), .turn(.file)], build, call, body,
                    ])
                }
            }
        }
    }

    @Test("Two changes at once, of a value and of what it was built from") func changes() {
        for call in Self.calls {
            _ = explore(Self.endsOfUsers + [[.change(.file)], [.change(.pool)], call, [.enter, .leave]])
        }
    }

    @Test("Each fault is found", arguments: HoldsWorld.Fault.allCases) func found(fault: HoldsWorld.Fault) {
        let tasks: [[Step]] = [
            [.change(.session)], [.turn(.transaction), .turn(.pool), .turn(.file)], [.enter, .leave],
            [.read(.pool), .throwAway(.pool)], [.call(.file)],
        ]
        #expect(HoldsWorld.explore(tasks, fault: fault).broken != nil)
        #expect(HoldsWorld.explore(tasks).broken == nil)
    }
}

@Suite("R11: nobody waits for himself, and what cannot be traps")
struct EveryCallTests {
    /// What some code does: it is behind an end, waits for others, and then its own end comes.
    private struct World: Hashable {
        var ends = Ends()
        var todo: [Ends.ID: [Ends.ID]]
        var waiting: Set<Ends.ID> = []
        var circles = 0

        init(_ todo: [Ends.ID: [Ends.ID]]) {
            self.todo = todo
            for id in todo.keys { ends.open(id) }
        }

        func next() -> [World] {
            todo.keys.sorted().filter { !waiting.contains($0) }.map { id in
                var world = self
                if let target = todo[id]?.first {
                    world.todo[id]?.removeFirst()
                    let (waits, circle) = world.ends.call(id + 100, for: [target], behind: [id])
                    if waits { world.waiting.insert(id) }
                    if !circle.isEmpty { world.circles += 1 }
                } else {
                    world.todo[id] = nil
                    for call in world.ends.end(id) { world.waiting.remove(call - 100) }
                }
                return world
            }
        }
    }

    @Test("Three that wait for each other, in every order: all end, and a circle is told") func circles() {
        let all: [[Ends.ID]] = [[], [1], [2], [3], [1, 2], [2, 3], [3, 1], [1, 2, 3]]
        var told = 0
        for first in all {
            for second in all {
                for third in all {
                    var (seen, todo): (Set<World>, [World]) = ([], [World([1: first, 2: second, 3: third])])
                    while let world = todo.popLast() {
                        let next = world.next()
                        if next.isEmpty {
                            #expect(world.todo.isEmpty, "somebody waits for ever: \(first) \(second) \(third)")
                        }
                        told += world.circles > 0 ? 1 : 0
                        for world in next where seen.insert(world).inserted { todo.append(world) }
                    }
                }
            }
        }
        #expect(told > 0)
    }
}
