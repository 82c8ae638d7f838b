/// What has happened in a program, and the rules of R11, written down as simply as possible.
struct EndingRecord: Sendable {
    /// A run of a builder, and the instance that it makes.
    struct Run: Sendable {
        enum Stage { case building, given, made, failed }

        let value: Int
        /// The scope that asked.
        let asking: Int
        /// The scope that keeps the instance: the innermost one that decides on it or on what it was built from; nil if unknown.
        var home: Int?
        /// All runs that it was built from.
        var uses: Set<Int> = []
        /// The same, but for what something that stays was built from.
        var direct: Set<Int> = []
        /// All of them, with what failed builds had read whose error it swallowed; it gave nothing to it, but may be waited for.
        var touches: Set<Int> = []
        /// All values that it was built from, as far as their changes concern it.
        var inputs: Set<Int> = []
        var stage = Stage.building
        /// What was built from it directly, for a transient instance, which has the cleanups then.
        var user: Int?
        var isLetGo = false
        /// Whether something has changed that it was built from, wherever that was; its scope may not have noticed yet.
        var isOutOfDate = false
        /// Whether it has read what failed to begin, or what is not kept for that reason.
        var isUnkept = false
        var isTransient: Bool { value == EndingProgram.transient || isUnkept }
        var stays: Bool { value == EndingProgram.staying }
    }

    struct Cleanup: Sendable {
        enum Stage { case registered, begun, waiting, ended }

        let run: Int?
        /// The scope on which it was registered.
        let scope: Int
        /// Whether the scope has it.
        var isThere: Bool
        var stage = Stage.registered
        var begun = Int.max
        var hasEnded: Bool { stage == .ended }
    }

    struct Call: Sendable {
        let text: String
        let scope: Int
        let isClose: Bool
        /// What it has to wait for at least.
        var awaited: [Int]
        /// The scope in which it is made by a body or a cleanup; nil for none.
        let within: Int?
        var hasReturned = false
    }

    /// Code that runs in a scope, and the runs whose instances it was given.
    struct Body: Sendable {
        let scope: Int
        var holds: Set<Int> = []
        var hasLeft = false
        /// Whether a closing from the inside may have begun under it.
        var isExcused = false
    }

    /// The scopes of the role in which a value stays.
    let roles: Set<Int>
    var runs: [Run] = []
    var cleanups: [Cleanup] = []
    var calls: [Call] = []
    var bodies: [Body] = []
    /// The scopes that were forgotten: what they keep ends in its own time.
    var dropped: Set<Int> = []
    private(set) var log: [String] = []
    private(set) var failure: String?
    /// How many reads are in progress.
    var reads = 0
    var now: Int { log.count }

    init(roles: Set<Int>) { self.roles = roles }

    mutating func note(_ text: String) { log.append(text) }
    mutating func fail(_ text: String) {
        note("FAILURE: " + text)
        failure = failure ?? text
    }

    // MARK: Builds

    mutating func begin(_ value: Int, asking: Int, home: Int) -> Int {
        runs.append(Run(value: value, asking: asking, home: home))
        note("run \(runs.count - 1) builds \(value) for scope \(asking), decided by \(home)")
        return runs.count - 1
    }

    /// A builder was given a value.
    mutating func add(_ part: EndingThing, of value: Int, to run: Int) {
        runs[run].inputs.insert(value)
        runs[run].home = runs[run].home.map { max($0, part.home) }
        guard let other = part.run else {
            // What is built from it lives in the scope of the role, since another one may begin its own.
            guard value == EndingProgram.staying,
                let nearest = EndingProgram.nearest(of: roles, from: runs[run].asking)
            else { return }
            runs[run].home = runs[run].home.map { max($0, nearest) }
            return
        }
        noteUnkept(runs[other].isUnkept, in: run)
        if runs[other].isTransient { runs[other].user = run }
        add(from: other, to: run)
        runs[run].uses.insert(other)
        runs[run].direct.insert(other)
        runs[run].touches.insert(other)
        note("run \(run) has read run \(other)")
    }

    /// A builder has swallowed or passed on an error; what the failed one has read counts.
    ///
    /// - Parameter hasBegun: Whether it was to begin, and to stay.
    mutating func add(failed other: Int?, hasBegun: Bool, to run: Int) {
        noteUnkept(hasBegun || other.map { runs[$0].isUnkept } == true, in: run)
        if let other {
            // What was taken over by the failed one ends with it.
            runs[run].touches.formUnion(runs[other].touches.filter { owner(of: $0) != other })
            addDecisions(from: other, to: run)
        } else {
            runs[run].home = nil
        }
    }

    private mutating func noteUnkept(_ isUnkept: Bool, in run: Int) {
        if isUnkept, !runs[run].stays { runs[run].isUnkept = true }
    }

    private mutating func add(from other: Int, to run: Int) {
        runs[run].uses.formUnion(runs[other].uses)
        if !runs[other].stays { runs[run].direct.formUnion(runs[other].direct) }
        runs[run].touches.formUnion(runs[other].touches)
        addDecisions(from: other, to: run)
    }

    private mutating func addDecisions(from other: Int, to run: Int) {
        if !runs[other].stays { runs[run].inputs.formUnion(runs[other].inputs) }
        runs[run].inputs.insert(runs[other].value)
        runs[run].home = runs[run].home.flatMap { home in runs[other].home.map { max(home, $0) } }
    }

    /// A builder ends; returns the instance as it is known to others.
    mutating func end(_ run: Int, failed: Bool) -> EndingThing {
        if runs[run].stays { runs[run].home = runs[run].asking }
        runs[run].stage = failed ? .failed : .made
        if failed { runs[run].isLetGo = true }
        note("run \(run) \(failed ? "fails" : "is made"), kept by \(runs[run].home.map { "\($0)" } ?? "?")")
        return EndingThing(run: run, home: runs[run].home ?? runs[run].asking)
    }

    /// A read that began at some time, after so many runs, has given something.
    mutating func give(_ thing: EndingThing, since time: Int, after known: Int, to body: Int? = nil) {
        guard let run = thing.run else { return }
        if let body { bodies[body].holds.formUnion([run] + runs[run].uses) }
        // Where its inputs changed meanwhile, it may be given and not kept.
        let same = runs[known...].filter { $0.value == runs[run].value && $0.asking == runs[run].asking }
        if same.count > 1 { runs[run].home = nil }
        if runs[run].stage == .made { runs[run].stage = .given }
        for (number, cleanup) in cleanups.enumerated() where cleanup.begun < time {
            guard let other = cleanup.run, other == run || runs[run].uses.contains(other) else { continue }
            fail("run \(run) is given after cleanup \(number) of run \(other) has begun")
        }
    }

    // MARK: Cleanups

    mutating func register(_ run: Int?, on scope: Int) -> Int {
        cleanups.append(Cleanup(run: run, scope: scope, isThere: run != nil))
        note("cleanup \(cleanups.count - 1) of \(run.map { "run \($0)" } ?? "scope \(scope)")")
        return cleanups.count - 1
    }

    mutating func isRegistered(_ number: Int) { cleanups[number].isThere = true }

    mutating func begin(_ number: Int) {
        note("cleanup \(number) begins")
        if cleanups[number].stage != .registered { fail("cleanup \(number) begins again") }
        (cleanups[number].stage, cleanups[number].begun) = (.begun, now)
        guard let run = cleanups[number].run else { return }
        if let home = runs[owner(of: run)].home, runs[owner(of: run)].stage == .given {
            for (body, it) in bodies.enumerated() where !it.hasLeft && !it.isExcused && it.holds.contains(run) {
                guard it.scope != home, EndingProgram.lies(it.scope, in: home) else { continue }
                fail("cleanup \(number) of run \(run) begins under body \(body) in scope \(it.scope), which holds it")
            }
        }
        for user in runs.indices where runs[user].uses.contains(run) {
            if runs[user].stage == .building {
                fail("cleanup \(number) begins while run \(user) builds from its value")
            }
            let isSame = runs[run].home == nil || owner(of: user) == owner(of: run)
            for (other, cleanup) in cleanups.enumerated() where !cleanup.hasEnded && other != number {
                guard let its = cleanup.run, isSame ? its == user : owner(of: its) == owner(of: user) else { continue }
                fail("cleanup \(number) of run \(run) begins before \(other) of run \(user) has ended")
            }
        }
    }

    mutating func set(_ number: Int, _ stage: Cleanup.Stage) {
        if cleanups[number].hasEnded { fail("cleanup \(number) goes on after its end") }
        cleanups[number].stage = stage
        if stage == .ended { note("cleanup \(number) ends") }
    }

    /// The scope in which a cleanup runs, as far as anybody knows.
    func place(of number: Int) -> Int {
        cleanups[number].run.map { runs[owner(of: $0)] }.flatMap { $0.stage == .failed ? $0.asking : $0.home }
            ?? cleanups[number].scope
    }

    /// The scopes in which it may run: what was made and not given to anybody yet may have been thrown away by who asked.
    func places(of number: Int) -> [Int] {
        let made = cleanups[number].run.map { runs[owner(of: $0)] }.flatMap { $0.stage == .made ? $0.asking : nil }
        return [place(of: number)] + (made.map { [$0] } ?? [])
    }

    /// The run to whose instance the cleanups of another one belong.
    func owner(of run: Int) -> Int { runs[run].user.map { owner(of: $0) } ?? run }

    /// The scope to whose ends a cleanup belongs; nil if nobody knows.
    func scope(of cleanup: Cleanup) -> Int? {
        guard let run = cleanup.run.map({ runs[owner(of: $0)] }) else { return cleanup.scope }
        return switch run.stage {
        // A read in progress may have failed builds whose cleanups nobody has let go of yet.
        case .failed: reads == 0 ? run.asking : nil
        case .given: run.isTransient ? run.asking : run.home
        case .building, .made: nil
        }
    }
}

struct EndingThing: Sendable {
    /// The run that made it; nil if it was set.
    var run: Int?
    /// The scope that keeps or sets it.
    var home: Int
}

struct EndingFailed: Error { let run: Int }
