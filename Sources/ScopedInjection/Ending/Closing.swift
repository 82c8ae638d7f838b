/// Closes scopes: their cleanups take turns, the last one first, each to its end.
extension EnvironmentScope {
    var isClosedNow: Bool { node.whileReading { node.pointee.flags.contains(.closed) } }

    var isClosingNow: Bool { node.whileReading { !node.pointee.flags.isDisjoint(with: [.closing, .closed]) } }

    func addCleanup(_ cleanup: __owned Cleanup) {
        let resource = Resource(cleanup)
        if !addCleanups(resource) { letGo(of: resource) }
    }

    /// Adds cleanups of the scope; false where that keeps none any more, or where something that they use was let go of: whoever
    /// did that waits for them, and nobody would let go of them.
    func addCleanups(_ resource: Resource) -> Bool {
        let lines = node.startWriting()
        defer { node.finishWriting(lines) }
        let flags = node.pointee.flags
        // Those of a value, which is not kept, are refused where the value would be.
        let isRefused = resource.value == nil ? flags.contains(.closed) : flags.refuseCleanups
        if isRefused || resource.isAwaited { return false }
        resource.value = nil
        node.add(resource, isNext: true)
        return true
    }

    /// Runs all cleanups, or waits for whoever does; returns what has not ended by a limit, which goes on.
    @discardableResult
    @usableFromInline
    nonisolated(nonsending) func closeAll(within limit: Duration? = nil) async -> [String] {
        guard let rest = closeAtOnce(isLimited: limit != nil) else { return [] }
        return await finish(rest, within: limit)
    }

    /// Closes a scope whose configuration has failed; what has to be awaited runs in a task of its own.
    @inline(never)
    func closeAfterFailure() { ThreadState.aside { _ = closeAtOnce() } }

    // MARK: Beginning and waiting

    /// What is left of a closing to be awaited.
    struct Rest {
        /// Who goes on.
        fileprivate var task: Task<Void, any Error>?
        fileprivate var ends: [Ends.ID] = []
        /// Whether the caller runs in a scope below.
        fileprivate let isFurtherIn: Bool
    }

    /// Begins to close, if nobody has, and does what need not be awaited; returns what has to be.
    func closeAtOnce(isLimited: Bool = false) -> Rest? {
        let inner = Anchor.current?.node
        let isFurtherIn = inner.map { $0 != node && markWaiting(from: $0, true) } == true
        var rest = Rest(isFurtherIn: isFurtherIn)
        if let lines = startClosing(&rest.ends) {
            if isLimited, node.pointee.cleanups != nil || node.pointee.flags.contains(.left) {
                rest.ends = [numberOfClosing()]
                node.finishWriting(lines)
                // The caller waits by a call of its own, which it gives up at the limit.
                run {
                    Ending.$caller.withValue(.init()) {
                        _ = Task { _ = await perform(node.startWriting(), isInForce: true)?.result }
                    }
                }
            } else {
                rest.task = perform(lines, isInForce: inner == node)
            }
        }
        if rest.task != nil || !rest.ends.isEmpty { return rest }
        if isFurtherIn, let inner { markWaiting(from: inner, false) }
        return nil
    }

    nonisolated(nonsending) func finish(_ rest: Rest, within limit: Duration? = nil) async -> [String] {
        defer { if rest.isFurtherIn, let inner = Anchor.current?.node { markWaiting(from: inner, false) } }
        _ = await rest.task?.result
        if let limit, !rest.ends.isEmpty { return await finish(rest.ends, within: limit) }
        if !rest.ends.isEmpty { report(circle: await Ending.shared.wait(for: rest.ends)) }
        // A cleanup that closes does not wait for itself, and so may have closed the scope before the others have ended.
        let left = node.whileReading { node.pointee.flags.contains(.closed) ? idsLeft : [] }
        if !left.isEmpty { _ = await Ending.shared.wait(for: left) }
        return []
    }

    // MARK: Taking turns

    /// Begins to close, and returns the lines that it holds; if somebody has begun, nil, and gives what has to be waited for.
    private func startClosing(_ ends: inout [Ends.ID]) -> Lines.Bits? {
        let lines = node.startWriting()
        if node.pointee.flags.isDisjoint(with: [.closing, .closed]) {
            node.pointee.flags.insert(.closing)
            return lines
        }
        ends = node.pointee.flags.contains(.closing) ? [numberOfClosing()] : idsLeft
        node.finishWriting(lines)
        return nil
    }

    /// The number of the closing, made when somebody needs one; the caller has called `startWriting`.
    @discardableResult
    private func numberOfClosing() -> Ends.ID {
        let extras = node.makeExtras()
        if extras.closing == 0 {
            extras.closing = Ending.shared.open(.closing(of: name))
            if let turn = node.pointee.turn.take() { node.enter([turn.object], turnOf: extras.closing) }
        }
        return extras.closing
    }

    /// The number of the closing that is in progress; nil if none is.
    var closingInProgress: Ends.ID? {
        let lines = node.startWriting()
        defer { node.finishWriting(lines) }
        return node.pointee.flags.contains(.closing) ? numberOfClosing() : nil
    }

    /// What was let go of here and has not ended.
    private var idsLeft: [Ends.ID] {
        node.pointee.flags.contains(.left) ? Ending.shared.left(of: self).map(\.id) : []
    }

    /// What has its turn next in a closing, or else what has to be waited for; if there is nothing, it is over.
    ///
    /// It unlocks the lines.
    ///
    /// - Parameter isCircular: Whether all that is left waits for whoever closes.
    private func takeTurn(_ lines: Lines.Bits, isCircular: Bool = false, _ ends: inout [Ends.ID]) -> Resource? {
        var garbage = Garbage()
        var ended: Ends.ID = 0
        var turn: Resource?
        if let next = node.takeTurn(&garbage) {
            let isAlone = (node.extras?.closing ?? 0) == 0 && !garbage.hasMoreResources
            if isAlone, next.isPlain || next.line == nil, !next.with({ node.hasUsers(of: $0) }) {
                next.with { $0.noteBegin(isObserved: node.isObservedNow) }
                if !next.isPlain, next.value != nil { next.since = Stopwatch() }
                node.pointee.turn = next
                turn = garbage.takeResource()
            } else {
                node.letGo(&garbage, .closing, turnOf: numberOfClosing())
                turn = garbage.takeReady(next.object)
                if turn == nil { ends = [next.id] }
            }
        } else {
            if node.pointee.flags.contains(.left) {
                node.takeAwaitedBelow(&garbage)
                node.letGo(&garbage, .closing)
                if !isCircular { ends = idsLeft }
            }
            if ends.isEmpty {
                node.pointee.flags.subtract([.closing, .closingLate])
                node.pointee.flags.insert(.closed)
                if let extras = node.extras { swap(&ended, &extras.closing) }
            } else {
                numberOfClosing()
            }
        }
        node.finishWriting(lines)
        // What goes along ends side by side.
        garbage.letGo(of: self, inTasks: true)
        if ended != 0 { Ending.shared.end(ended) }
        return turn
    }

    /// The same after a turn, whose cleanups have run.
    private func takeTurn(after last: Resource, _ ends: inout [Ends.ID]) -> Resource? {
        var lines = node.startWriting()
        node.pointee.turn = nil
        let isKnown = last.scope != nil
        if isKnown || last.line != nil {
            node.finishWriting(lines)
            // Before what it was built from has its turn.
            Resource.begin(last.end(isKnown: isKnown))
            lines = node.startWriting()
        }
        return takeTurn(lines, &ends)
    }

    // MARK: Performing turns

    /// Performs turns in the scope, as far as the first one that has to be awaited, and unlocks the lines.
    ///
    /// It returns a task that goes on from there, which a cancellation does not reach, unless that has ended at once.
    private func perform(_ lines: Lines.Bits, isInForce: Bool) -> Task<Void, any Error>? {
        var ends: [Ends.ID] = []
        var turn = takeTurn(lines, &ends)
        if turn == nil, ends.isEmpty { return nil }
        // `withChild` closes the scope in force.
        if !isInForce { return run { performPlain(&turn, &ends) ? nil : goOn(turn, ends) } }
        return performPlain(&turn, &ends) ? nil : goOn(turn, ends)
    }

    /// Starts a task that performs what is left, unless it ends at once.
    @inline(never)
    private func goOn(_ turn: Resource?, _ ends: [Ends.ID]) -> Task<Void, any Error>? {
        if let caller = Ending.caller.id, let closing = closingInProgress { Ending.shared.tie(closing, to: caller) }
        let thread = ThreadState.current
        thread.pointee.ended = nil
        // Bound here: in asynchronous code each binding costs the hops of two calls. A task that may throw, because for another
        // one a second closure is made.
        let task = Ending.$caller.withValue(.init(closing: self)) { () -> Task<Void, any Error> in
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                Task.immediate { await self.performAll(turn, ends) }
            } else {
                Task { await self.performAll(turn, ends) }
            }
        }
        return thread.pointee.ended == UnsafeRawPointer(node) ? nil : task
    }

    /// Performs what need not be awaited, as far as what has to be, or until the task is cancelled; false if something is left.
    @discardableResult
    private func performPlain(_ turn: inout Resource?, _ ends: inout [Ends.ID]) -> Bool {
        while let resource = turn, !Task.isCancelled, resource.runPlain(in: self) {
            turn = takeTurn(after: resource, &ends)
        }
        return turn == nil && ends.isEmpty
    }

    @inline(__always)
    private func performAll(_ first: Resource?, _ others: [Ends.ID]) async {
        var (turn, ends, isCircular) = (first, others, false)
        while turn != nil || !ends.isEmpty {
            if let resource = turn {
                await resource.run(in: self)
                turn = takeTurn(after: resource, &ends)
            } else {
                let circle = await Ending.shared.wait(for: ends)
                report(circle: circle)
                (ends, isCircular) = ([], circle != nil)
                turn = takeTurn(node.startWriting(), isCircular: isCircular, &ends)
            }
            performPlain(&turn, &ends)
        }
        // In a circle something has not ended that the caller may still have to wait for.
        if !isCircular { ThreadState.current.pointee.ended = UnsafeRawPointer(node) }
    }

    // MARK: Waiting and limits

    /// Notes that what runs in the scopes between this one and that of the caller waits for the closing; false if that lies elsewhere.
    @discardableResult
    private func markWaiting(from inner: NodePointer, _ isWaiting: Bool) -> Bool {
        letGo(.closing, inTasks: true) { garbage in
            let between = inner.chain.contains(node) ? Array(inner.chain.prefix { $0 != node }) : []
            for waiting in between {
                if isWaiting { waiting.pointee.flags.insert(.waiting) } else { waiting.pointee.flags.remove(.waiting) }
            }
            if isWaiting { node.takeAwaited(&garbage) { keeper, _ in between.contains(keeper) } }
            return !between.isEmpty
        }
    }

    /// Waits as long as a limit allows, and returns the names of what has not ended then.
    private nonisolated(nonsending) func finish(_ ends: [Ends.ID], within limit: Duration) async -> [String] {
        report(circle: await Ending.shared.wait(for: ends, within: limit * 9 / 10))
        if ends.allSatisfy({ Ending.shared.isOver($0) }) { return [] }
        giveUpTurns()
        // What only had to wait for its turn has the last tenth.
        _ = await Ending.shared.wait(for: ends, within: limit / 10)
        return ends.allSatisfy { Ending.shared.isOver($0) } ? [] : namesOfUnfinished(after: limit)
    }

    /// Gives up the order of the turns, but not that of the graph.
    private func giveUpTurns() {
        letGo(.closing, inTasks: true) { garbage in
            while node.takeTurn(&garbage) != nil {}
            if node.pointee.flags.contains(.closing) { node.pointee.flags.insert(.closingLate) }
        }
    }

    /// The names of all that a closing waits for, which observers are told.
    private func namesOfUnfinished(after limit: Duration) -> [String] {
        // What it waits for may lie below any other scope.
        node.pointee.lines.lock(.every)
        let (ids, left) = Ending.shared.unfinished(of: self, in: node.extras?.closing ?? 0)
        let users = Resource.names(of: ids, node.pointee.lines)
        node.finishWriting(.every)
        let due = left.filter { Ending.shared.isDue($0) }
        for resource in due {
            report(ScopeEvent(.cleanupOverdue, in: resource.scope ?? self, of: resource.title ?? .init(), after: limit))
        }
        return (due.map { $0.name(from: self) } + users).sorted()
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// Takes out what has its turn next in a closing; nil if nothing is left.
    ///
    /// What was first built during the closing has its turn after all that was there, and then nothing more is built that
    /// has a cleanup.
    fileprivate func takeTurn(_ garbage: inout Garbage) -> Borrowed<Resource>? {
        if pointee.cleanups == nil { beginLateTurns() }
        guard let first = pointee.cleanups else { return nil }
        if let value = first.value, let slot = slot(value.address), slot.pointee.cell?.kept?.pointee.resource == first {
            takeEnding(value, slot, &garbage)
        } else {
            garbage.add(remove(first))
        }
        return first
    }
}
