/// The turns of a closing: the last one first, one at a time, each to its end.
extension EnvironmentScope {
    /// The id of the closing.
    var closingID: Ends.ID { Ends.ID(UInt(bitPattern: node)) | 1 }

    /// Lets somebody wait for the closing; the caller has called `startWriting`.
    func openClosing() {
        node.pointee.flags.insert(.awaited)
        Ending.shared.open(closingID, .closing(of: name))
    }

    /// The ids of what ends after the code of the closing: the closing, and what its turn was built from.
    var idsBehindClosing: [Ends.ID] {
        node.inspect {
            if !node.pointee.flags.contains(.closing) { return [] }
            let turn = node.pointee.turn.map { turn in turn.with { $0.isOver ? [] : $0.idsBehind } } ?? []
            return [closingID] + turn
        }
    }

    /// What has not ended of what was let go of here or has just begun, but for what somebody uses; nil if there is nothing.
    func pending(and begun: [Resource] = []) -> Ending.Targets? {
        if begun.isEmpty, !node.pointee.flags.contains(.pending) { return nil }
        let all = Ending.shared.pending(of: node).filter { !$0.isUsed } + begun.filter { !$0.isOver }
        return all.isEmpty ? nil : Ending.Targets(resources: all)
    }

    // MARK: Taking turns

    /// What has its turn next in a closing, or else what has to be waited for; if there is nothing, it is over.
    ///
    /// It unlocks the lines.
    ///
    /// - Parameters:
    ///   - begun: What turns were the last to hold.
    ///   - isCircular: Whether all that is left waits for whoever closes.
    func takeTurn(
        _ lines: Lines.Bits,
        after begun: [Resource] = [],
        isCircular: Bool = false,
        _ ends: inout Ending.Targets?
    ) -> Resource? {
        var garbage = Garbage()
        var (turn, isOver, isAwaited) = (Resource?.none, false, false)
        while turn == nil, ends == nil, !isOver {
            if node.takeTurn(&garbage), let next = garbage.takeResource() {
                if next.isUnused {
                    next.noteBegin(isObserved: node.isObservedNow)
                    if !next.isPlain, next.value != nil { next.since = Stopwatch() }
                } else {
                    node.enter([next])
                }
                if next.formerKeeper == nil ? next.letGo() : node.letGo(next) {
                    node.pointee.turn = Borrowed(next)
                    turn = next
                } else if !next.isUsed {
                    ends = Ending.Targets(resources: [next])
                }
            } else {
                if !isCircular { ends = pending(and: begun) }
                if ends == nil {
                    if node.pointee.hasKept, node.isUntidy(at: node.stamp) { node.tidyAll(&garbage) }
                    isAwaited = node.pointee.flags.contains(.awaited)
                    node.pointee.flags.subtract([.closing, .closingLate, .awaited])
                    node.pointee.flags.insert(.closed)
                    node.endKeeping()
                    if node.pointee.flags.contains(.pending) { node.ownPending() }
                    isOver = true
                }
            }
        }
        node.finishWriting(lines)
        garbage.letGo(of: self)
        if isAwaited { Ending.shared.end(closingID) }
        return turn
    }

    /// The same after a turn, whose cleanups have run.
    private func takeTurn(after last: Resource, _ ends: inout Ending.Targets?) -> Resource? {
        // Before what it was built from has its turn.
        let begun = last.end()
        Resource.begin(begun)
        let lines = node.startWriting()
        node.pointee.turn = nil
        return takeTurn(lines, after: begun, &ends)
    }

    // MARK: Performing turns

    /// Performs turns in the scope, as far as the first one that has to be awaited; returns a task that goes on from there,
    /// unless that has ended at once.
    ///
    /// A cancellation of the calling task does not reach that task.
    ///
    /// - Parameter caller: What is in force; `withChild` closes the scope of that.
    func perform(_ turn: inout Resource?, _ ends: inout Ending.Targets?, from caller: Anchor?) -> Task<
        Void, any Error
    >? {
        if turn == nil, ends == nil { return nil }
        if caller?.node == node {
            return performPlain(&turn, &ends) ? nil : goOn(turn, ends, from: caller, leaving: nil)
        }
        let body = enter()
        let task = Anchor.run(in: body) {
            performPlain(&turn, &ends) ? nil : goOn(turn, ends, from: caller, leaving: body)
        }
        if task == nil { leave(body) }
        return task
    }

    /// Starts a task that performs what is left; nil if it has ended at once.
    ///
    /// - Parameter body: The body in which it does; the task leaves that, unless it has ended at once. Nil for the one in force.
    @inline(never)
    private func goOn(
        _ turn: Resource?,
        _ ends: Ending.Targets?,
        from caller: Anchor?,
        leaving body: Unmanaged<Anchor>?
    ) -> Task<Void, any Error>? {
        let behind = Ending.caller.behind
        if !behind.isEmpty { tie(behind + (caller?.idOfBody.map { [$0] } ?? [])) }
        let thread = ThreadState.current
        let around = thread.pointee.starting
        thread.pointee.starting = UnsafeRawPointer(node)
        defer { thread.pointee.starting = around }
        // Bound here: in asynchronous code each binding costs the hops of two calls. A task that may throw, because for another
        // one a second closure is made.
        let task = Ending.$caller.withValue(.init(closing: self)) { () -> Task<Void, any Error> in
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                Task.immediate { await self.performAll(turn, ends, leaving: body) }
            } else {
                Task { await self.performAll(turn, ends, leaving: body) }
            }
        }
        return thread.pointee.starting == nil ? nil : task
    }

    /// Lets whoever works for an end wait for the closing.
    private func tie(_ behind: [Ends.ID]) {
        node.whileWriting {
            if !node.pointee.flags.contains(.closing) { return }
            openClosing()
            Ending.shared.tie(closingID, behind: behind)
        }
    }

    /// Performs what need not be awaited, as far as what has to be, or until the task is cancelled; false if something is left.
    @discardableResult
    private func performPlain(_ turn: inout Resource?, _ ends: inout Ending.Targets?) -> Bool {
        while let resource = turn, !(resource.hasPlain && Task.isCancelled), resource.runPlain(in: self) {
            turn = takeTurn(after: resource, &ends)
        }
        return turn == nil && ends == nil
    }

    @inline(__always)
    private func performAll(_ first: Resource?, _ others: Ending.Targets?, leaving body: Unmanaged<Anchor>?) async {
        var (turn, ends, isCircular) = (first, others, false)
        while turn != nil || ends != nil {
            if let resource = turn {
                await resource.run(in: self)
                turn = takeTurn(after: resource, &ends)
            } else if let targets = ends {
                let circle = await Ending.shared.wait(for: targets)
                report(circle: circle)
                (ends, isCircular) = (nil, circle != nil)
                turn = takeTurn(node.startWriting(), isCircular: isCircular, &ends)
            }
            performPlain(&turn, &ends)
        }
        let thread = ThreadState.current
        if !isCircular, thread.pointee.starting == UnsafeRawPointer(node) {
            thread.pointee.starting = nil
        } else if let body {
            // In a circle, too: something has not ended that the caller may still have to wait for.
            leave(body)
        }
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// Takes out what has its turn next in a closing; false if nothing is left.
    ///
    /// What was first built during the closing has its turn after all that was there, and then nothing more is built that
    /// has a cleanup.
    func takeTurn(_ garbage: inout Garbage) -> Bool {
        if pointee.cleanups == nil { beginLateTurns() }
        guard let first = pointee.cleanups else { return false }
        if let value = first.value, let slot = slot(value.address), slot.pointee.cell?.kept?.pointee.resource == first {
            takeEnding(value, slot, &garbage)
        } else {
            garbage.add(remove(first))
        }
        return true
    }
}
