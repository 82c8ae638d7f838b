import ScopedInjection
import Testing

@Suite(
    "R11: in every interleaving, each cleanup begins once and in time, and nobody waits for a stranger or himself",
    .programRoots
)
struct EveryEndTests {
    typealias Tasks = [(scope: Int?, acts: [EndsWorld.Act])]

    /// A request below an application, and in the last one a scope below the request.
    private static let layouts: [[EndsWorld.Value: Int]] = [
        [.pool: 0, .other: 0, .session: 1],
        [.pool: 0, .session: 1, .transaction: 1],
        [.pool: 0, .session: 0, .transaction: 1],
        [.pool: 0, .session: 1, .transaction: 2],
    ]

    private static let acts: [[EndsWorld.Act]] = [
        [.hangs], [.reads(.pool)], [.reads(.session)], [.closes(0)], [.closes(1)], [.discards(.pool)],
        [.discards(.session)], [.closes(0, hasLimit: true)], [.closes(1, hasLimit: true)],
    ]

    /// Explores the worlds in which at most one cleanup does something, or each two of some.
    private func explore(
        _ tasks: Tasks,
        layouts: [[EndsWorld.Value: Int]] = layouts,
        pairsOf pairs: [[EndsWorld.Act]] = [],
        _ location: SourceLocation = #_sourceLocation
    ) {
        for layout in layouts {
            let inner: EndsWorld.Value = layout[.transaction] == nil ? .session : .transaction
            var cleanups: [[EndsWorld.Value: [EndsWorld.Act]]] = [[:]]
            cleanups += Self.acts.flatMap { [[.pool: $0], [inner: $0]] }
            cleanups += pairs.flatMap { first in pairs.map { [.pool: first, inner: $0] } }
            for cleanups in cleanups {
                guard let broken = EndsExploration().run(EndsWorld(layout, cleanups, tasks)) else { continue }
                Issue.record("\(broken), where cleanups are \(cleanups) in \(layout)", sourceLocation: location)
            }
        }
    }

    @Test("A closing waits for a body further in, and takes along what nobody uses")
    func bodyFurtherIn() {
        let pairs: [[EndsWorld.Act]] = [[.reads(.pool)], [.closes(0)], [.closes(1)]]
        explore([(nil, [.closes(0)]), (1, [.leaves, .closes(1)])], pairsOf: pairs)
    }

    @Test("A body that closes its own scope is waited for no longer")
    func closesOwnScope() {
        let pairs: [[EndsWorld.Act]] = [[.hangs], [.closes(1)], [.discards(.pool)]]
        explore([(nil, [.closes(0)]), (1, [.closes(1), .leaves])], pairsOf: pairs)
    }

    @Test("A body that closes the application does not wait for itself")
    func closesApplication() {
        let pairs: [[EndsWorld.Act]] = [[.hangs], [.closes(0)]]
        explore([(nil, [.changes(.pool)]), (1, [.closes(0), .leaves, .closes(1)])], pairsOf: pairs)
    }

    @Test("A body that closes the scope above it holds up no other closing")
    func closesScopeAbove() {
        let layouts = [Self.layouts[3]]
        explore([(2, [.closes(1), .leaves]), (1, [.leaves, .closes(1)])], layouts: layouts)
        explore([(2, [.closes(1), .leaves]), (nil, [.closes(0)])], layouts: layouts)
        explore([(2, [.closes(0), .leaves]), (nil, [.closes(1)])], layouts: layouts)
        explore([(2, [.closes(0, hasLimit: true)]), (1, [.closes(0), .leaves])], layouts: layouts)
    }

    @Test("What nobody has entered or closed holds up no closing")
    func neverEntered() {
        explore([(nil, [.closes(0)]), (nil, [.changes(.pool)])])
    }

    @Test("What was let go of before a closing is no part of its order")
    func letGoBefore() {
        explore([(nil, [.changes(.pool), .closes(0)]), (1, [.leaves])], pairsOf: [[.hangs], [.reads(.pool)]])
    }

    @Test("A closing returns at its limit, and names what has not ended")
    func limits() {
        explore([(nil, [.closes(0, hasLimit: true)]), (1, [.leaves])])
        explore([(nil, [.closes(0)]), (1, [.closes(0, hasLimit: true), .leaves])])
        explore([(nil, [.closes(0, hasLimit: true)]), (1, [.closes(1), .leaves])], layouts: [Self.layouts[3]])
    }

    @Test("A discard returns when all that it takes along has ended, and a build that is under way")
    func discards() {
        explore([(nil, [.closes(0)]), (nil, [.discards(.pool)])], layouts: Array(Self.layouts[1...2]))
        explore([(nil, [.discards(.session)]), (1, [.builds(.session)])], layouts: [Self.layouts[3]])
        explore([(0, [.discards(.pool)]), (1, [.builds(.pool)])], layouts: [Self.layouts[0]])
    }

    @Test("A build that has read something is waited for, whatever becomes of it")
    func builds() {
        let layouts = [Self.layouts[0], Self.layouts[2]]
        explore([(nil, [.closes(0)]), (1, [.builds(.session), .leaves])], layouts: layouts)
        explore([(1, [.builds(.session)]), (0, [.discards(.pool)])], layouts: [Self.layouts[2]])
    }

    @Test("A call that gives up leaves nothing behind")
    func givesUp() {
        var ends = Ends()
        ends.open(1)
        let before = ends
        let waits = ends.call(2, for: [1]).waits
        let hasGivenUp = [ends.giveUp(2), ends.giveUp(2)]
        #expect(waits && hasGivenUp == [true, false])
        #expect(ends == before)
    }

    @Test("What goes on as another one, and that as a third one, ends and is named with the last")
    func goesOn() {
        var ends = Ends()
        let mayBegin = ends.letGo(1, of: 1, after: [2])
        for id in Ends.ID(2)..<8 { ends.pass(id, to: id + 1) }
        #expect(!mayBegin && ends.unfinished(of: 1) == Set(1...8))
        let actions = [ends.end(8), ends.end(1)]
        #expect(actions == [[.begin(1)], []])
        #expect(ends == Ends())
    }
}

/// Runs every interleaving of a world; what is found first has the fewest steps.
private struct EndsExploration {
    /// Returns the demand that is not met, with the steps that lead to it.
    func run(_ start: EndsWorld) -> String? {
        var known: Set = [start]
        var open: [(world: EndsWorld, step: Int)] = [(start, -1)]
        var steps: [(before: Int, event: EndsWorld.Event)] = []
        var next = 0
        while next < open.count {
            var (world, step) = open[next]
            next += 1
            let events = world.events
            if events.isEmpty { world.checkEnd() }
            if let broken = world.broken {
                var path: [EndsWorld.Event] = []
                while step >= 0 {
                    path.insert(steps[step].event, at: 0)
                    step = steps[step].before
                }
                return "\(broken), after \(path)"
            }
            for event in events {
                var world = world
                world.step(event)
                if !known.insert(world).inserted { continue }
                steps.append((step, event))
                open.append((world, steps.count - 1))
            }
        }
        return nil
    }
}
