import Synchronization

/// Resolves a key: finds its value, or builds it and keeps it where it belongs.
enum Resolution {
    /// The value as a scope sees it.
    ///
    /// - Parameters:
    ///   - past: The version of the decision to skip; 0 for none.
    ///   - user: The build of this thread whose builder reads.
    ///   - line: The line of the thread, if it is held for a look at a node that is open.
    static func value<Value>(
        of asked: TypedKey<Value>,
        past: UInt64 = 0,
        from node: NodePointer,
        for user: Borrowed<Build>? = nil,
        holding line: Int? = nil
    ) throws(ScopeError) -> Value {
        let thread = user?.thread ?? ThreadState.current
        let read = Read(key: asked.key, past: past, node: node, user: user, thread: thread)
        return try thread.make { (memory) throws(ScopeError) in
            try resolve(read, into: memory, holding: line, isBegun: false)
        }
    }

    /// Initializes memory with the value.
    ///
    /// - Parameters:
    ///   - line: The line of the thread, if it is held for a look at a node that is open.
    ///   - isBegun: Whether another read has come for the value, to the scope of its role.
    @inline(never)
    static func resolve(
        _ read: Read,
        into memory: UnsafeMutableRawPointer,
        holding line: Int? = nil,
        isBegun: Bool = false
    ) throws(ScopeError) {
        // More than the line of the thread where others may build what is asked for.
        var held = line.map { Lines.Bits(bits: Lines.bit($0)) }
        let (key, node, user) = (read.key, read.node, read.user)
        // Whether the watch has to be told once more if the value is another read's: what it was built from is known only then.
        var isUntold = line == nil && node.isWatched && (isBegun || tellOfRead(read))
        if read.thread.pointee.activity.build == nil { read.thread.pointee.activity.patience.renew() }
        var board = Announcing(node.pointee.lines)
        var (isTidied, beginnings) = (false, 0)
        while true {
            let lines = held.take() ?? Lines.Bits(bits: Lines.bit(node.startReading()))
            let plan = Plan(read)
            if !isTidied, node.isUntidy(at: plan.stamp) {
                node.finishReading(lines)
                node.tidy()
                isTidied = true
                continue
            }
            user?.with { $0.checkMoment() }
            if let cell = plan.cell {
                key.copyValue(at: cell.address, to: memory)
                user?.with { $0.record(cell, key, plan.look.version, past: read.past, level: plan.look.level) }
                node.finishReading(lines)
                user?.with { Announcing.follow($0) }
                if isUntold { tellOfRead(read) }
                return
            }
            if read.thread.pointee.hasMetEnding, try resolveEnding(plan, holding: lines, isBegun, into: memory) {
                return
            }
            if let level = plan.look.levelToBegin(hasUser: user != nil), !plan.defaultIs(.forbidden) {
                node.finishReading(lines)
                isUntold = false
                beginnings += 1
                // The next look finds it, unless others discard it each time.
                try begin(at: level, read, into: memory)
                if beginnings < Patience.runs {
                    key.destroyValue(at: memory)
                    continue
                }
                user?.with { $0.run.hasReadUnkept = true }
                return
            }
            let start = start(plan, &board, lines)
            node.finishReading(lines)
            user?.with { Announcing.follow($0) }
            switch start {
            case .looksAgain(let more):
                held = more
                node.pointee.lines.lock(more)
            case .lost:
                // The builder that inherits was replaced meanwhile, so it runs again, whatever this read returns.
                user?.with { $0.record(key, Input.lost, past: read.past, level: .max) }
                return try resolve(Read(key: key, node: node, user: user, thread: read.thread), into: memory)
            case .constant(let constant):
                giveConstant(plan)
                return key.copyValue(at: constant, to: memory)
            case .refused(let reason): return try resolveInEnded(read, refuse(reason, plan), into: memory)
            case .waits(let other, let signal): try wait(for: other, signal, plan, &board)
            case .builds(let build):
                isUntold = false
                if try run(build, into: memory) { return }
            }
        }
    }

    /// Begins a value that stays, in the scope that keeps it.
    @inline(never)
    private static func begin(at level: Int32, _ read: Read, into memory: UnsafeMutableRawPointer) throws(ScopeError) {
        let key = read.key
        // Not by a handle of the asking scope, which most have not.
        let keeper = level == 0 ? read.node.withScope { $0 } : Links.handle(from: read.node, at: level)?.aliveScope
        do throws(ScopeError) {
            read.user?.run.isFailureRecorded = false
            guard let keeper else { throw read.node.withScope { $0.parentReleased(key) } }
            if level > 0, read.node.isWatched { tellOfBegin(key, in: keeper, read) }
            if read.thread.pointee.activity.beginsNothing { throw ScopeError(.roleMissing, key: key) }
            let inKeeper = Read(key: key, node: keeper.node, user: nil, beginner: read.user, thread: read.thread)
            try resolve(inKeeper, into: memory, isBegun: true)
        } catch {
            // Of other failures nothing tells when the reason is gone.
            if let user = read.user, !user.run.isFailureRecorded { user.run.hasReadUnkept = true }
            throw error
        }
    }

    // MARK: What a read does next

    private enum Start {
        /// The decision to skip is not there any more.
        case lost
        case constant(UnsafeRawPointer)
        case refused(Refusal)
        case waits(for: Build, Signal?)
        case builds(Borrowed<Build>)
        /// Under the lines of all who may build what is kept there.
        case looksAgain(holding: Lines.Bits)
    }

    /// Announces a build, or finds another one to wait for; the caller holds lines, from the look at the scopes on.
    private static func start(_ plan: Plan, _ board: inout Announcing, _ held: Lines.Bits) -> Start {
        if plan.look.version == Input.lost { return .lost }
        if plan.isConstant, let constant = plan.read.key.constant { return .constant(constant) }
        if let reason = refusal(plan) { return .refused(reason) }
        if !plan.isKept { return .builds(Build.make(plan)) }
        let hinted = plan.hintedLevel
        if let keeper = plan.read.node.outwards(hinted) {
            let readers = keeper.pointee.readers.load(ordering: .acquiring)
            if readers & ~held.bits != 0 { return .looksAgain(holding: Lines.Bits(bits: readers | held.bits)) }
        }
        let build = Build.make(plan)
        guard let other = board.ask(build, hinted: hinted)?.take() else { return .builds(build) }
        Build.reuse(build)
        return .waits(for: other, other.signal())
    }

    private static func giveConstant(_ plan: Plan) {
        plan.read.user?.with { user in
            user.record(plan.read.key, plan.look.version, past: plan.read.past, level: .max)
            if let policy = plan.policy { user.record(policy: policy) }
        }
        if plan.defaultIs(.reported) { reportDefault(plan.read) }
    }

    private static func wait(
        for other: Build,
        _ signal: Signal?,
        _ plan: Plan,
        _ board: inout Announcing
    ) throws(ScopeError) {
        let stopwatch = plan.isObserved ? Stopwatch() : nil
        let read = plan.read
        let outcome = Waiting.wait(for: other, signal, from: read.node)
        defer { other.finishReading() }
        if let stopwatch { report(.waited, read, after: stopwatch.time) }
        switch outcome {
        case .looksAgain: break
        case .circle: board.ruledOut = (board.ruledOut ?? []) + [other]
        case .failed(let error, let nearest, let mask):
            read.beginner?.with { $0.record(failureOf: read.key, plan.look.version, other) }
            read.user?.with { user in
                user.asking.whileReading { user.checkMoment() }
                user.record(all: other, nearest: nearest, mask: mask)
                user.record(read.key, plan.look.version, past: read.past, level: plan.look.nearest)
                Announcing.follow(user)
            }
            throw error
        }
    }

    /// Runs a build to its end; whether the read has its value, or else has to look again.
    private static func run(_ build: Borrowed<Build>, into memory: UnsafeMutableRawPointer) throws(ScopeError) -> Bool {
        let (key, node) = (build.key, build.asking)
        let stopwatch = build.plan.isObserved ? Stopwatch() : nil
        do {
            try build.with { try call($0, into: memory) }
        } catch {
            return try end(build, build.with { Placing.outcome(of: error, $0) }, since: stopwatch)
        }
        var placing = Placing()
        var isGiven = false
        defer { if !isGiven { key.destroyValue(at: memory) } }
        let outcome = build.with { placing.place(memory, of: $0) }
        isGiven = try end(build, outcome, since: stopwatch)
        placing.letGo(outcome, from: node)
        return isGiven
    }

    /// Calls the builder; what it returns after a cycle that it was a part of is the error of the cycle.
    @inline(__always)
    private static func call(_ build: Build, into memory: UnsafeMutableRawPointer) throws {
        // Last, because what a builder reads first is copied as a whole.
        defer { if let policy = build.plan.policy { build.record(policy: policy) } }
        try build.call { reader throws in
            if let provider = build.provider { return try provider.make(build.key, reader, into: memory) }
            try build.key.make(reader, isInTests: build.plan.isInTests, into: memory)
        }
        guard let cycle = build.run.cycle else { return }
        build.key.destroyValue(at: memory)
        throw cycle
    }

    /// Tells a test whose scope has every role that another program would have no such scope.
    private static func tellOfBegin(_ value: ValueKey, in keeper: EnvironmentScope, _ read: Read) {
        if keeper.node.inspect({ keeper.node.chain.contains { $0.pointee.role == value.role } }) { return }
        keeper.watch?.tellOfRole(of: value, in: read.node.withScope { $0 })
    }

    /// What is given where the scope of a test is gone with the test; throws the error if there is nothing, or no test.
    @inline(never)
    private static func resolveInEnded(
        _ read: Read,
        _ error: ScopeError,
        into memory: UnsafeMutableRawPointer
    ) throws(ScopeError) {
        guard error.code == .parentReleased, read.node.isWatched,
            let scope = read.node.withScope({ $0.watch?.scopeOfEnded })
        else { throw error }
        read.user?.with { $0.run.hasReadUnkept = true }
        let inScope = Read(key: read.key, node: scope.node, user: nil, thread: read.thread)
        do throws(ScopeError) { try resolve(inScope, into: memory) } catch _ { throw error }
    }

    /// Tells the watch of a read; returns whether the value was not there before that.
    @inline(never)
    @discardableResult
    private static func tellOfRead(_ read: Read) -> Bool {
        let isMissing = read.node.inspect {
            Look.find(read.key.address, past: read.past, from: read.node).cell == nil
        }
        let scope = read.node.withScope { $0 }
        let reference = read.thread.pointee.activity.reference.map { ScopeError.Location($0) }
        let (past, isInBuilder) = (read.past, read.user != nil)
        scope.watch?.tellOfRead(
            WatchedRead(value: read.key, past: past, scope: scope, isInBuilder: isInBuilder, reference: reference)
        )
        return isMissing
    }
}
