import Synchronization

/// Resolves a key: finds its value, or builds it and keeps it where it belongs.
enum Resolution {
    /// How often a builder runs for one read while its inputs keep changing.
    private static let patience = 100

    /// The value as a scope sees it.
    ///
    /// - Parameters:
    ///   - past: The version of the decision to skip; 0 for none.
    ///   - user: The build of this thread whose builder reads.
    @inline(never)
    static func value<Value>(
        of asked: TypedKey<Value>,
        past skipped: UInt64 = 0,
        from node: NodePointer,
        for user: Build? = nil
    ) throws(ScopeError) -> Value {
        if node.isWatched { noteRead(asked.key, in: node, user) }
        var ruledOut: [Build] = []
        var (runs, isTidied) = (0, false)
        while true {
            var (key, past) = (asked.key, skipped)
            var trail: [ValueKey] = []
            var found: Decision?
            let line = node.startReading()
            if !isTidied, node.isUntidy {
                node.finishReading(line)
                node.tidy()
                isTidied = true
                continue
            }
            while found == nil {
                switch Look.find(key.address, past: past, from: node) {
                case .cell(let cell, let decision, let level):
                    let value = cell.value(as: Value.self)
                    user?.record(cell, key, decision.version, past: past, level: level)
                    node.finishReading(line)
                    if let user { Announcing.followInputs(user) }
                    return value
                case .unbuilt(let decision):
                    guard let target = decision.target, trail.count < Changing.longestTrail else {
                        found = decision
                        break
                    }
                    user?.record(key, decision.version, past: past, level: decision.level)
                    trail.append(key)
                    (key, past) = (target, 0)
                }
            }
            let plan = Plan(key, past: past, found.unsafelyUnwrapped, from: node)
            node.finishReading(line)
            if let user { Announcing.followInputs(user) }
            if plan.decision.version == Input.lost {
                // The builder that inherits was replaced meanwhile, so it runs again, whatever this read returns.
                user?.record(key, Input.lost, past: past, level: .max)
                return try value(of: asked, from: node, for: user)
            }
            if plan.isConstant, let constant = key.constant {
                user?.record(key, plan.decision.version, past: past, level: .max)
                if let policy = plan.policy { user?.record(policy: policy) }
                if plan.defaultIs(.reported) { reportDefault(plan, node) }
                return constant.assumingMemoryBound(to: Value.self).pointee
            }
            let thread = ThreadState.current
            if let error = refusal(plan, trail, node, user, thread) { throw error }
            guard let build = try begin(plan, node, thread, user, &ruledOut) else { continue }
            runs += 1
            let watch = plan.isObserved ? Stopwatch() : nil
            let isLast = runs >= patience
            let value: Value
            do {
                value = try build._withUnsafeGuaranteedRef { try run($0, plan, thread) }
            } catch {
                if let error = end(build, plan, thrown: error, user, isLast: isLast, since: watch) { throw error }
                continue
            }
            let outcome = build._withUnsafeGuaranteedRef { build in
                Placing.run(build, plan) { Cell.make(value, plan.key, version: $0, kept: $1) }
            }
            if try end(build, plan, outcome, user, isLast: isLast, since: watch) { return value }
        }
    }

    /// Calls the builder; what it returns after a cycle that it was a part of is the error of the cycle.
    @inline(__always)
    private static func run<Value>(_ build: Build, _ plan: borrowing Plan, _ thread: ThreadState.Pointer) throws
        -> Value
    {
        // Last, because what a builder reads first is copied as a whole.
        defer { if let policy = plan.policy { build.record(policy: policy) } }
        let value: Value = try build.call(thread) { reader throws in
            if let provider = plan.provider {
                return try unsafeDowncast(provider, to: Builder<Value>.self).make(reader)
            }
            return try plan.key.typed(as: Value.self).make(reader, isInTests: plan.isInTests)
        }
        if let cycle = build.cycle { throw cycle }
        return value
    }

    /// Announces a build; nil if the read has to look again, because another build was there or has kept the value.
    private static func begin(
        _ plan: borrowing Plan,
        _ node: NodePointer,
        _ thread: ThreadState.Pointer,
        _ user: Build?,
        _ ruledOut: inout [Build]
    ) throws(ScopeError) -> Unmanaged<Build>? {
        let build = Build.make(plan.key, plan.decision, node, thread)
        if !plan.isToBeKept { return build }
        let other = build._withUnsafeGuaranteedRef { Announcing.announce($0, plan, ruledOut: ruledOut) }
        if let other {
            Build.recycle(build)
            try wait(for: other, plan, node, user, &ruledOut)
            return nil
        }
        // A build that ended or moved before this one was announced may have done so after the look.
        if isOutdated(plan, node) {
            finish(build, node)
            return nil
        }
        return build
    }

    private static func wait(
        for other: Build,
        _ plan: borrowing Plan,
        _ node: NodePointer,
        _ user: Build?,
        _ ruledOut: inout [Build]
    ) throws(ScopeError) {
        let watch = plan.isObserved ? Stopwatch() : nil
        let outcome = Waiting.wait(for: other, from: node)
        defer { other.finishReading() }
        if let watch { report(.waited, plan, node, after: watch.time) }
        switch outcome {
        case .over: return
        case .notNeeded: ruledOut.append(other)
        case .failed(let error, let nearest, let mask):
            user?.record(all: other, nearest: nearest, mask: mask)
            user?.record(plan.key, plan.decision.version, past: plan.past, level: plan.decision.nearest)
            if let user { Announcing.followInputs(user) }
            throw error
        }
    }

    /// Whether the value is there now, or its build elsewhere.
    private static func isOutdated(_ plan: borrowing Plan, _ node: NodePointer) -> Bool {
        node.whileReading {
            if plan.isGuessOutdated { return true }
            if node.keptValues(upTo: plan.place) == plan.keptValues { return false }
            if case .cell = Look.find(plan.key.address, past: plan.past, from: node) { return true }
            return false
        }
    }

    @inline(never)
    private static func noteRead(_ key: ValueKey, in node: NodePointer, _ user: Build?) {
        let scope = node.withScope { $0 }
        let reference = ThreadState.current.pointee.reference.map { ScopeError.Location($0) }
        scope.watch?.noteRead(WatchedRead(value: key, scope: scope, isInBuilder: user != nil, reference: reference))
    }
}
