import Synchronization

/// One read of a value that is not there: what is asked, where, and for whom.
struct Read {
    let asked: ValueKey
    /// The version of the decision to skip; 0 for none.
    let past: UInt64
    let node: NodePointer
    /// The build of this thread whose builder reads; the caller keeps it alive.
    let user: Borrowed<Build>?
    /// The same for a value that stays, which is read in the scope that begins it.
    var beginner: Borrowed<Build>?
    let thread: ThreadState.Pointer
}

/// Resolves a key: finds its value, or builds it and keeps it where it belongs.
enum Resolution {
    /// How many runs of builders one read may throw away because inputs have changed.
    private static let patience = 3

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
        let thread = user?.work.thread ?? ThreadState.current
        let read = Read(asked: asked.key, past: past, node: node, user: user, thread: thread)
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
        let (asked, past, node, user) = (read.asked, read.past, read.node, read.user)
        // Whether the watch has to be told once more if the value is another read's: what it was built from is known only then.
        var isUntold = line == nil && node.isWatched && (isBegun || tellOfRead(read))
        if read.thread.pointee.activity.build == nil { read.thread.pointee.activity.patience = patience }
        var board = Announcing(node.pointee.lines)
        var isTidied = false
        var beginnings = 0
        while true {
            let lines = held.take() ?? Lines.Bits(bits: Lines.bit(node.startReading()))
            let seen = node.stampAndObservers
            let decision = Look.find(asked.address, past: past, from: node)
            if !isTidied, node.isUntidy(at: seen.stamp) {
                node.finishReading(lines)
                node.tidy()
                isTidied = true
                continue
            }
            user?.with { $0.checkMoment() }
            if let cell = decision.cell, !decision.isForbidden(asked, from: node) {
                asked.copyValue(at: cell.address, to: memory)
                user?.with { $0.record(cell, asked, decision.version, past: past, level: decision.level) }
                node.finishReading(lines)
                user?.with { Announcing.follow($0) }
                if isUntold { tellOfRead(read) }
                return
            }
            if read.thread.pointee.hasMetEnding,
                try resolveEnding(read, decision, holding: lines, isBegun, into: memory)
            {
                return
            }
            let plan = Plan(asked, past: past, decision, from: node, seen)
            if let level = decision.levelToBegin(hasUser: user != nil), !plan.defaultIs(.forbidden) {
                node.finishReading(lines)
                isUntold = false
                beginnings += 1
                // The next look finds it, unless others discard it each time.
                try begin(at: level, read, into: memory)
                if beginnings <= patience {
                    asked.destroyValue(at: memory)
                    continue
                }
                user?.with { $0.run.hasReadUnkept = true }
                return
            }
            let start = start(plan, read, &board, lines)
            node.finishReading(lines)
            user?.with { Announcing.follow($0) }
            switch start {
            case .looksAgain(let more):
                held = more
                node.pointee.lines.lock(more)
            case .lost:
                // The builder that inherits was replaced meanwhile, so it runs again, whatever this read returns.
                user?.with { $0.record(asked, Input.lost, past: past, level: .max) }
                return try resolve(
                    Read(asked: asked, past: 0, node: node, user: user, thread: read.thread),
                    into: memory
                )
            case .constant(let constant):
                giveConstant(plan, read)
                return asked.copyValue(at: constant, to: memory)
            case .refused(let reason): return try resolveInEnded(read, refuse(reason, plan, read), into: memory)
            case .waits(let other, let signal): try wait(for: other, signal, plan, read, &board)
            case .builds(let build):
                isUntold = false
                let stopwatch = plan.isObserved ? Stopwatch() : nil
                do {
                    try build.with { try call($0, plan, read.thread, into: memory) }
                } catch {
                    let outcome = build.with { Placing.outcome(of: error, $0, plan) }
                    _ = try end(build, plan, outcome, read, since: stopwatch)
                    continue
                }
                var placing = Placing()
                let outcome = build.with { placing.place(memory, of: $0, plan, isPart: user != nil) }
                do throws(ScopeError) {
                    let isGiven = try end(build, plan, outcome, read, since: stopwatch)
                    placing.letGo(outcome, from: node)
                    if isGiven { return }
                } catch {
                    asked.destroyValue(at: memory)
                    throw error
                }
                asked.destroyValue(at: memory)
            }
        }
    }

    /// Begins a value that stays, in the scope that keeps it.
    @inline(never)
    private static func begin(at level: Int32, _ read: Read, into memory: UnsafeMutableRawPointer) throws(ScopeError) {
        let key = read.asked
        // Not by a handle of the asking scope, which most have not.
        let keeper = level == 0 ? read.node.withScope { $0 } : Links.handle(from: read.node, at: level)?.aliveScope
        do throws(ScopeError) {
            read.user?.run.isFailureRecorded = false
            guard let keeper else { throw read.node.withScope { $0.parentReleased(key) } }
            if level > 0, read.node.isWatched { tellOfBegin(key, in: keeper, read) }
            if read.thread.pointee.activity.beginsNothing { throw ScopeError(.roleMissing, key: key) }
            let inKeeper = Read(
                asked: key,
                past: 0,
                node: keeper.node,
                user: nil,
                beginner: read.user,
                thread: read.thread
            )
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
    private static func start(
        _ plan: borrowing Plan,
        _ read: Read,
        _ board: inout Announcing,
        _ held: Lines.Bits
    ) -> Start {
        if plan.decision.version == Input.lost { return .lost }
        if plan.isConstant, let constant = plan.key.constant { return .constant(constant) }
        if let reason = refusal(plan, read.node, read.thread) { return .refused(reason) }
        if plan.isKept, let keeper = read.node.outwards(plan.hinted) {
            let readers = keeper.pointee.readers.load(ordering: .acquiring)
            if readers & ~held.bits != 0 { return .looksAgain(holding: Lines.Bits(bits: readers | held.bits)) }
        }
        let build = Build.make(plan, read.node, read.thread)
        if plan.isKept, let other = board.ask(build, hinted: plan.hinted)?.take() {
            Build.reuse(build, read.thread)
            return .waits(for: other, Waiting.signal(of: other))
        }
        return .builds(build)
    }

    private static func giveConstant(_ plan: borrowing Plan, _ read: Read) {
        read.user?.with { user in
            user.record(plan.key, plan.decision.version, past: plan.past, level: .max)
            if let policy = plan.policy { user.record(policy: policy) }
        }
        if plan.defaultIs(.reported) { reportDefault(plan, read.node) }
    }

    private static func wait(
        for other: Build,
        _ signal: Signal?,
        _ plan: borrowing Plan,
        _ read: Read,
        _ board: inout Announcing
    ) throws(ScopeError) {
        let stopwatch = plan.isObserved ? Stopwatch() : nil
        let outcome = Waiting.wait(for: other, signal, from: read.node)
        defer { other.finishReading() }
        if let stopwatch { report(.waited, plan, read.node, after: stopwatch.time) }
        switch outcome {
        case .looksAgain: break
        case .circle: board.ruledOut = (board.ruledOut ?? []) + [other]
        case .failed(let error, let nearest, let mask):
            read.beginner?.with { $0.record(failureOf: plan.key, plan.decision.version, other) }
            read.user?.with { user in
                user.asking.whileReading { user.checkMoment() }
                user.record(all: other, nearest: nearest, mask: mask)
                user.record(plan.key, plan.decision.version, past: plan.past, level: plan.decision.nearest)
                Announcing.follow(user)
            }
            throw error
        }
    }

    /// Calls the builder; what it returns after a cycle that it was a part of is the error of the cycle.
    @inline(__always)
    private static func call(
        _ build: Build,
        _ plan: borrowing Plan,
        _ thread: ThreadState.Pointer,
        into memory: UnsafeMutableRawPointer
    ) throws {
        // Last, because what a builder reads first is copied as a whole.
        defer { if let policy = plan.policy { build.record(policy: policy) } }
        try build.call(thread) { reader throws in
            if let provider = plan.provider { return try provider.make(plan.key, reader, into: memory) }
            try plan.key.make(reader, isInTests: plan.isInTests, into: memory)
        }
        guard let cycle = build.run.cycle else { return }
        plan.key.destroyValue(at: memory)
        throw cycle
    }

    /// Tells a test whose scope has every role that another program would have no such scope.
    private static func tellOfBegin(_ value: ValueKey, in keeper: EnvironmentScope, _ read: Read) {
        if keeper.node.whileReading({ keeper.node.chain.contains { $0.pointee.role == value.role } }) { return }
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
        let inScope = Read(asked: read.asked, past: 0, node: scope.node, user: nil, thread: read.thread)
        do throws(ScopeError) { try resolve(inScope, into: memory) } catch _ { throw error }
    }

    /// Tells the watch of a read; returns whether the value was not there before that.
    @inline(never)
    @discardableResult
    private static func tellOfRead(_ read: Read) -> Bool {
        let isMissing = read.node.inspect {
            Look.find(read.asked.address, past: read.past, from: read.node).cell == nil
        }
        let scope = read.node.withScope { $0 }
        let reference = read.thread.pointee.activity.reference.map { ScopeError.Location($0) }
        let (past, isInBuilder) = (read.past, read.user != nil)
        scope.watch?.tellOfRead(
            WatchedRead(value: read.asked, past: past, scope: scope, isInBuilder: isInBuilder, reference: reference)
        )
        return isMissing
    }
}
