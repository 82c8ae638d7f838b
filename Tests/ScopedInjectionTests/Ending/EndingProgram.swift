/// A random program of which the ends are looked at: an application, two tenants and three requests with values built from
/// each other, which have cleanups.
struct EndingProgram: Sendable {
    /// The parents of the scopes; of two on a chain, the one further in has the higher number.
    static let parents: [Int?] = [nil, 0, 0, 1, 1, 2]
    static let values = 6
    static let (staying, transient) = (2, 3)

    enum Step: Sendable {
        case read(Int, Int)
        /// A thread reads a value, and stops where a builder of another one has read all that it reads.
        case readStopped(Int, Int, at: Int)
        /// Lets all threads go on.
        case resume
        case set(Int, Int)
        case provide(Int, Int, Builder)
        case remove(Int, Int)
        case discard(Int, Int?)
        case close(Int)
        /// A body in the first scope closes the second one.
        case closeWithin(Int, Int)
        case enter(Int)
        /// A body reads a value in the first scope, and holds it until it leaves.
        case readWithin(Int, Int)
        case leave(Int)
        case register(Int, Cleanup)
        /// Forgets the scope, so that it goes away unclosed.
        case drop(Int)
    }

    enum Action: Sendable {
        case nothing
        /// Waits until the program is over.
        case hang
        case read(Int)
        case close(Int)
        case discard(Int, Int?)
        case register(Int)
    }

    struct Cleanup: Sendable {
        var isPlain: Bool
        var action: Action
    }

    /// What a builder does: it registers a cleanup, reads, registers the others, and may fail.
    struct Builder: Sendable {
        var early: Cleanup?
        var reads: [(value: Int, isTried: Bool)] = []
        var late: [Cleanup] = []
        var fails = false
    }

    var builders: [Builder]
    /// The scopes of the role in which a value stays.
    var roles: Set<Int>
    var steps: [Step] = []
    /// How many tasks share the steps.
    var tasks: Int

    init(seed: UInt64, length: Int, tasks: Int = 1) {
        self.tasks = tasks
        var random = EndingChoices(random: Seeded(seed), isAlone: tasks == 1)
        builders = (0..<Self.values).map { random.builder(of: $0) }
        roles = [[3, 4, 5], [1, 2], [1, 2, 3, 5], [0, 3, 4]][Int(seed % 4)]
        while steps.count < length { steps.append(random.step()) }
    }

    /// Whether a scope is another one, or lies further in.
    static func lies(_ scope: Int, in outer: Int) -> Bool { sequence(first: scope) { parents[$0] }.contains(outer) }

    /// The nearest scope of the role, from a scope outwards.
    static func nearest(of roles: Set<Int>, from scope: Int) -> Int? {
        sequence(first: scope) { parents[$0] }.first { roles.contains($0) }
    }
}

/// What a program may have in it, which differs from program to program.
private struct EndingChoices {
    var random: Seeded
    let (hangs, stops, acts, fails): (Int, Int, Int, Int)
    let isAlone: Bool

    init(random: Seeded, isAlone: Bool) {
        var random = random
        hangs = [0, 0, 10, 30][random.below(4)]
        stops = isAlone ? [0, 0, 5][random.below(3)] : 0
        acts = [0, 20, 50][random.below(3)]
        fails = [0, 8][random.below(2)]
        (self.random, self.isAlone) = (random, isAlone)
    }

    private mutating func scope() -> Int { random.below(EndingProgram.parents.count) }
    private mutating func value() -> Int { random.below(EndingProgram.values) }

    mutating func builder(of value: Int) -> EndingProgram.Builder {
        var builder = EndingProgram.Builder()
        for _ in 0..<(value == 0 ? 0 : random.below(4)) {
            builder.reads.append((random.below(value), random.chance(30)))
        }
        // What is taken over from a transient value, or from one that changes meanwhile, runs before what was registered earlier.
        if stops + acts == 0, isAlone, random.chance(15),
            !builder.reads.contains(where: { $0.value == EndingProgram.transient })
        {
            builder.early = cleanup()
        }
        for _ in 0..<[0, 1, 1, 2][random.below(4)] { builder.late.append(cleanup()) }
        builder.fails = random.chance(fails)
        return builder
    }

    private mutating func cleanup() -> EndingProgram.Cleanup {
        if random.chance(hangs) { return EndingProgram.Cleanup(isPlain: false, action: .hang) }
        guard random.chance(acts) else { return EndingProgram.Cleanup(isPlain: random.chance(50), action: .nothing) }
        return switch random.below(5) {
        case 0, 1: EndingProgram.Cleanup(isPlain: random.chance(50), action: .read(value()))
        case 2: EndingProgram.Cleanup(isPlain: false, action: .close(scope()))
        case 3: EndingProgram.Cleanup(isPlain: false, action: .discard(scope(), random.chance(70) ? value() : nil))
        default: EndingProgram.Cleanup(isPlain: random.chance(50), action: .register(scope()))
        }
    }

    mutating func step() -> EndingProgram.Step {
        let (scope, value) = (scope(), value())
        if random.chance(stops) { return .readStopped(scope, value, at: random.below(value + 1)) }
        switch random.below(40) {
        case 0...2: return .set(random.chance(50) ? 0 : scope, value)
        case 3...5: return .provide(scope, value, builder(of: value))
        case 6: return .remove(scope, value)
        case 7...9: return .discard(random.chance(50) ? 0 : scope, random.chance(80) ? value : nil)
        case 10, 11: return random.chance(40) ? .close(scope) : .read(scope, value)
        case 12: return random.chance(40) ? .closeWithin(scope, self.scope()) : .read(scope, value)
        case 13, 14: return .enter(scope)
        case 15: return .readWithin(scope, value)
        case 16, 17: return .leave(scope)
        case 18, 19: return .register(scope, cleanup())
        case 20: return random.chance(20) ? .drop(scope) : .read(scope, value)
        case 21: return random.chance(stops * 10) ? .resume : .read(scope, value)
        default: return .read(scope, value)
        }
    }
}
