import ScopedInjection
import Testing

@Suite("R5: in every interleaving of three threads each value is built once for the scope that keeps it", .programRoots)
struct EveryInterleavingTests {
    /// Two requests below an application, and a child of the first one.
    private enum Place { static let app = 0, first = 1, second = 2, child = 3 }
    private static let (x, y, z) = (0, 1, 2)

    /// What the scopes override, and where the threads ask. A debug build runs the worlds that have found most.
    #if DEBUG
        private static let overrides: [[Int: [Int]]] = [
            [:], [1: [x], 2: [y]], [1: [x], 2: [z]], [2: [x, y]], [1: [x], 3: [y]],
        ]
        private static let places: [[Int]] = [[1, 2, 2], [1, 2, 3]]
    #else
        private static let overrides: [[Int: [Int]]] = [
            [:], [1: [x]], [1: [x], 2: [x]], [1: [x], 2: [y]], [1: [x], 2: [z]], [1: [y], 2: [x]], [2: [x, y]],
            [3: [x]], [3: [y], 2: [x]], [1: [x], 3: [y]], [0: [x], 1: [y], 2: [z]],
        ]
        private static let places: [[Int]] = [[1, 2, 2], [1, 2, 3], [1, 1, 3], [0, 1, 2], [2, 3, 3]]
    #endif

    private func worlds(
        _ builders: [[World.Act]],
        _ change: World.Change? = nil,
        _ places: [[Int]] = places,
        roles: [Int: Set<Int>] = [:]
    ) -> [World] {
        Self.overrides.flatMap { overrides in
            places.map { places in
                var scopes = [nil, 0, 0, 1].map { World.Node(parent: $0) }
                for (scope, inputs) in overrides { for input in inputs { scopes[scope].sets[input] = scope + 1 } }
                return World(scopes: scopes, builders: builders, roles: roles, asking: places, change: change)
            }
        }
    }

    @Test(
        "A builder that reads the same inputs each time runs once for each keeper",
        arguments: [
            [[World.Act.input(x)]],
            [[.input(x), .input(y)]],
            [[.input(y)], [.input(x), .value(of: 0)]],
            [[.input(x)], [.value(of: 0), .input(y)]],
        ]
    )
    func sameInputs(builders: [[World.Act]]) { for world in worlds(builders) { Exploration(mostRuns: 1).run(world) } }

    @Test("A builder that reads other inputs than before runs at most once for each scope that overrides one of them")
    func changingInputs() {
        for world in worlds([[.either(Self.x, ifSet: Self.y, else: Self.z)]]) { Exploration(mostRuns: 3).run(world) }
    }

    @Test("A run that goes on where it has read something nearer is met there, whatever the hint is now")
    func nearerThanHint() {
        // The first request reads x and y, the second one x and z.
        var scopes = [nil, 0, 0].map { World.Node(parent: $0) }
        scopes[Place.first].sets[Self.x] = 1
        scopes[Place.second].sets[Self.z] = 2
        let builders = [[World.Act.either(Self.x, ifSet: Self.y, else: Self.z)]]
        let world = World(scopes: scopes, builders: builders, asking: [Place.first, Place.second, Place.second])
        Exploration(mostRuns: 1).run(world)
    }

    @Test("A failure ends all waits") func failures() {
        for world in worlds([[.input(Self.y), .failIfSet(Self.x)]]) { Exploration(mostRuns: 1).run(world) }
    }

    @Test("A set meanwhile costs one more run for each run that it meets") func setMeanwhile() {
        for scope in [Place.app, Place.first, Place.second] {
            for world in worlds([[.input(Self.x), .input(Self.y)]], .set(Self.y, in: scope)) {
                Exploration(mostRuns: 2).run(world)
            }
        }
    }

    @Test("What stays is begun once for the scope of its role, whichever threads ask and whatever they override")
    func staying() {
        let builders = [[World.Act.input(Self.x), .input(Self.y)], [.input(Self.z), .value(of: 0)]]
        for roles in [[Place.first, Place.second], [Place.first, Place.second, Place.child]] {
            for world in worlds(builders, roles: [0: Set(roles)]) { Exploration(mostRuns: 1).run(world) }
        }
    }

    @Test("A scope that goes leaves nobody waiting, and no build announced") func scopeGoes() {
        // A thread keeps the scope alive in which it asks, so none asks in the one that goes.
        let places = [[2, 3, 3], [0, 2, 3], [3, 3, 3]]
        for world in worlds([[.input(Self.x), .input(Self.y)]], .goes(Place.first), places) {
            Exploration(mostRuns: 1).run(world)
        }
    }
}

/// Runs every interleaving of a world.
final class Exploration {
    private let mostRuns: Int
    private var known: Set<World> = []

    init(mostRuns: Int) { self.mostRuns = mostRuns }

    func run(_ start: World) {
        var open = [start]
        while let world = open.popLast() {
            guard known.insert(world).inserted else { continue }
            let able = world.threads.indices.filter { world.canStep($0) }
            if able.isEmpty { check(world, from: start) }
            let tooFarOut = world.isTooFarOut
            if !tooFarOut.isEmpty { Issue.record("runs \(tooFarOut) are announced too far out, from \(start)") }
            for thread in able {
                var next = world
                next.step(thread)
                open.append(next)
            }
            if world.change != nil, !able.isEmpty {
                var next = world
                next.makeChange()
                open.append(next)
            }
        }
    }

    private func check(_ world: World, from start: World) {
        let stuck = world.threads.indices.filter { world.threads[$0].outcome == nil }
        if !stuck.isEmpty { Issue.record("threads \(stuck) wait for ever, from \(start)") }
        // For each builder and scope, the runs that could have been kept there.
        var runs: [[Int]: Int] = [:]
        for run in world.runs where !run.hasFailed && run.isOver {
            let chain = world.chain(of: run.asking)
            guard world.isCurrent(run.inputs, from: run.asking), !world.hasGap(run.asking) else { continue }
            let level = world.roles[run.builder] != nil ? 0 : min(run.nearest, Int32(chain.count - 1))
            runs[[run.builder, chain[Int(level)]], default: 0] += 1
        }
        for builder in world.builders.indices where world.hints[builder] == nil {
            guard world.scopes.contains(where: { $0.keeps[builder] != nil }) else { continue }
            Issue.record("no run of builder \(builder) has become the hint, from \(start)")
        }
        if let most = runs.values.max(), most > mostRuns { Issue.record("\(most) runs for one keeper, from \(start)") }
        let left = world.threads.contains { $0.announced != nil }
        if left { Issue.record("a build that is over is announced, from \(start)") }
    }
}
