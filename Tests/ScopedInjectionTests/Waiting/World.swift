import ScopedInjection

/// A small world of scopes, values and threads, of which every interleaving can be run.
///
/// It has the memory of the board's lists, and the hints. Each step of a thread is what the library does while it holds its locks.
struct World: Hashable {
    struct Node: Hashable {
        var parent: Int?
        /// The versions of the inputs that the scope sets.
        var sets: [Int: Int] = [:]
        /// The runs whose values the scope keeps, by the builder.
        var keeps: [Int: Int] = [:]
        var isGone = false
    }

    /// One run of a builder.
    struct Run: Hashable {
        let builder: Int
        let asking: Int
        let thread: Int
        /// What it has read: the inputs with the versions that were found.
        var inputs: [Int: Int] = [:]
        /// The builders of what stays that it has read, or that its inputs were built from.
        var uses: Set<Int> = []
        var nearest = Int32.max
        var announcedLevel: Int32?
        /// The build that was announced before by its thread.
        var nextOfThread: Int?
        var ruledOut: [Int] = []
        var isFirst = false
        var hasTaught = false
        var isOver = false
        var hasFailed = false
        /// The threads that a move or the end wakes.
        var waiting: [Int] = []
    }

    enum Step: Hashable {
        case look
        /// Another run was met, whose end or next move wakes the thread.
        case met(Int, isWoken: Bool)
        case waiting(Int, isWoken: Bool)
        /// The number of reads that are done.
        case reads(Int, hasToFollow: Bool)
        case ends
        case kept(level: Int32)
    }

    /// A read of a built value.
    struct Read: Hashable {
        let builder: Int
        /// The scope as which it is built: for one that stays, that of its role.
        let asking: Int
        var step = Step.look
        var run: Int?
        var ruledOut: [Int] = []
    }

    enum Outcome: Hashable {
        case value(of: Int)
        case error
    }

    struct Thread: Hashable {
        let asking: Int
        var reads: [Read]
        /// The last of its announced builds.
        var announced: Int?
        var outcome: Outcome?
    }

    /// What a builder does: reads inputs, or the value of another builder, and perhaps fails.
    enum Act: Hashable {
        case input(Int)
        /// The second input if the first one is set, and else the third.
        case either(Int, ifSet: Int, else: Int)
        case value(of: Int)
        case failIfSet(Int)
    }

    /// What happens once, at any time, besides the threads.
    enum Change: Hashable {
        case set(Int, in: Int)
        case goes(Int)
    }

    var scopes: [Node]
    let builders: [[Act]]
    /// The scopes of the role in which a builder's value stays; none for other builders.
    let roles: [Int: Set<Int>]
    var threads: [Thread]
    var change: Change?
    var runs: [Run] = []
    /// The inputs that the last run of a builder read, and below 0 the builders of what stays.
    var hints: [Int: Set<Int>] = [:]
    var sets = 0

    init(scopes: [Node], builders: [[Act]], roles: [Int: Set<Int>] = [:], asking: [Int], change: Change? = nil) {
        (self.scopes, self.builders, self.roles, self.change) = (scopes, builders, roles, change)
        threads = asking.map { Thread(asking: $0, reads: []) }
        for thread in threads.indices {
            threads[thread].reads = [read(of: builders.count - 1, from: threads[thread].asking)]
        }
    }

    /// A read, which begins what stays in the nearest scope of its role.
    func read(of builder: Int, from scope: Int) -> Read {
        let keeper = roles[builder].flatMap { scopes in chain(of: scope).first { scopes.contains($0) } }
        return Read(builder: builder, asking: keeper ?? scope)
    }

    // MARK: Scopes

    func chain(of scope: Int) -> [Int] { Array(sequence(first: scope) { outwards(of: $0) }) }

    /// Whether a read that goes past all scopes finds that one of them is gone.
    func hasGap(_ scope: Int) -> Bool {
        chain(of: scope).contains { scopes[$0].parent.map { scopes[$0].isGone } == true }
    }

    /// The version of an input, and the level that decides it; nil if a parent is gone before.
    func see(_ input: Int, from scope: Int) -> (version: Int, level: Int32)? {
        for (level, at) in chain(of: scope).enumerated() {
            if let version = scopes[at].sets[input] { return (version, Int32(level)) }
        }
        return hasGap(scope) ? nil : (0, .max)
    }

    func isCurrent(_ inputs: [Int: Int], from scope: Int) -> Bool {
        inputs.allSatisfy { see($0.key, from: scope)?.version == $0.value }
    }

    /// The run whose kept value a read gives.
    func kept(_ builder: Int, from scope: Int) -> (run: Int, level: Int32)? {
        if roles[builder] != nil { return scopes[scope].keeps[builder].map { ($0, 0) } }
        for (level, at) in chain(of: scope).enumerated() {
            guard let run = scopes[at].keeps[builder], isCurrent(runs[run].inputs, from: scope) else { continue }
            // Another scope of the role further in has its own.
            guard runs[run].uses.allSatisfy({ read(of: $0, from: scope).asking == read(of: $0, from: at).asking })
            else { continue }
            return (run, Int32(level))
        }
        return nil
    }
}

extension World: BuildBoard {
    func asking(of build: Int) -> Int { runs[build].asking }

    func outwards(of scope: Int) -> Int? { scopes[scope].parent.flatMap { scopes[$0].isGone ? nil : $0 } }

    func hintedLevel(of build: Int) -> Int32 {
        if roles[runs[build].builder] != nil { return 0 }
        let chain = chain(of: runs[build].asking)
        guard let hint = hints[runs[build].builder] else { return Int32(chain.count - 1) }
        let level = chain.firstIndex { scope in
            hint.contains { $0 < 0 ? roles[-1 - $0]?.contains(scope) == true : scopes[scope].sets[$0] != nil }
        }
        return Int32(level ?? chain.count - 1)
    }

    func nearest(of build: Int) -> Int32 { runs[build].nearest }
    func pastLevel(of build: Int) -> Int32 { -1 }
    func announcedLevel(of build: Int) -> Int32? { runs[build].announcedLevel }

    func isSameValue(_ one: Int, _ other: Int) -> Bool { runs[one].builder == runs[other].builder }
    func isRuledOut(_ other: Int, for build: Int) -> Bool { runs[build].ruledOut.contains(other) }
    func lines(of scope: Int) -> [Int] {
        threads.indices.filter { thread in
            ([threads[thread].asking] + threads[thread].reads.map(\.asking)).contains { chain(of: $0).contains(scope) }
        }
    }
    var everyLine: [Int] { Array(threads.indices) }
    func line(of build: Int) -> Int { runs[build].thread }

    func first(of line: Int) -> Int? { threads[line].announced }
    mutating func setFirst(_ build: Int?, of line: Int) { threads[line].announced = build }
    func next(after build: Int) -> Int? { runs[build].nextOfThread }
    mutating func setNext(_ next: Int?, after build: Int) { runs[build].nextOfThread = next }
    mutating func setAnnouncedLevel(_ level: Int32?, of build: Int) { runs[build].announcedLevel = level }
    mutating func meet(_ build: Int) {}

    mutating func setHint(from build: Int) {
        hints[runs[build].builder] = Set(runs[build].inputs.keys).union(runs[build].uses.map { -1 - $0 })
        runs[build].hasTaught = true
    }

    mutating func wake(_ build: Int) {
        for thread in runs[build].waiting {
            let last = threads[thread].reads.count - 1
            switch threads[thread].reads[last].step {
            case .met: threads[thread].reads[last].step = .met(build, isWoken: true)
            default: threads[thread].reads[last].step = .waiting(build, isWoken: true)
            }
        }
        runs[build].waiting = []
    }
}
