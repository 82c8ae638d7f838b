/// Closes scopes: their cleanups take turns, the last one first, each to its end.
extension EnvironmentScope {
    var isClosedNow: Bool { node.whileReading { node.pointee.flags.contains(.closed) } }

    func addCleanup(_ action: Cleanup.Action, _ place: SourcePlace) {
        addCleanups(Resource(Cleanup(action: action, place: place)))
    }

    /// Adds cleanups of the scope, or runs them soon and returns false if the scope is already closed.
    @discardableResult
    func addCleanups(_ resource: Resource) -> Bool {
        let lines = node.startWriting()
        let isTooLate = node.pointee.flags.contains(.closed)
        if !isTooLate { node.add(resource, isNext: true) }
        node.finishWriting(lines)
        if isTooLate { letGo(of: resource) }
        return !isTooLate
    }

    /// Runs all cleanups, or waits for whoever does; returns what has not ended by a limit, which goes on.
    nonisolated(nonsending) func closeAll(within limit: Duration? = nil) async -> [String] {
        let isFurtherIn = markWaiting(true)
        defer { if isFurtherIn { markWaiting(false) } }
        let (step, closing) = startClosing(isNumbered: limit != nil || Ending.caller != nil)
        let ids: [Ends.ID]
        switch (step, closing) {
        case (.wait(let others), nil): ids = others
        case (.over, _): return []
        case (_, let closing):
            guard limit != nil, let closing else {
                await perform(step)
                return []
            }
            Task { await perform(step) }
            ids = [closing]
        }
        report(circle: await Ending.shared.wait(for: ids, within: limit))
        if limit == nil { await waitForLeft() }
        return limit == nil || ids.allSatisfy { Ending.shared.isOver($0) } ? [] : hurry()
    }

    /// Waits for the ends of a discard, and for those of values that were let go of here before.
    nonisolated(nonsending) func waitForEnds(_ ids: [Ends.ID], and isConcerned: (ValueKey?) -> Bool) async {
        let left = Ending.shared.left(of: self).filter { isConcerned($0.value) }
        report(circle: await Ending.shared.wait(for: ids + left.map(\.id)))
    }

    /// Closes a scope whose configuration has failed; what has to be awaited runs in a task of its own.
    @inline(never)
    func closeAfterFailure() {
        _ = runInForce(startClosing(isNumbered: false).step)
    }

    // MARK: Taking turns

    private enum Step {
        case run(Resource)
        case wait([Ends.ID])
        case over
    }

    /// Begins to close, if nobody has; then the caller has to perform the step, and is given the number of the closing, if it has one.
    private func startClosing(isNumbered: Bool) -> (step: Step, closing: Ends.ID?) {
        let lines = node.startWriting()
        if !node.pointee.flags.isDisjoint(with: [.closing, .closed]) {
            let isOver = node.pointee.flags.contains(.closed)
            let ids = isOver ? idsLeft : [makeClosing(for: nil)]
            node.finishWriting(lines)
            return (ids.isEmpty ? .over : .wait(ids), nil)
        }
        node.pointee.flags.insert(.closing)
        swap(&node.pointee.turns, &node.pointee.cleanups)
        let closing = isNumbered ? makeClosing(for: Ending.caller) : 0
        return (takeStep(lines), closing)
    }

    /// The number of the closing; the caller has called `startWriting`.
    @discardableResult
    private func makeClosing(for caller: Ends.ID?) -> Ends.ID {
        if node.pointee.closing == 0 { node.pointee.closing = Ending.shared.open(.closing(of: name), for: caller) }
        return node.pointee.closing
    }

    /// What was let go of here and has not ended.
    private var idsLeft: [Ends.ID] {
        node.pointee.flags.contains(.left) ? Ending.shared.left(of: self).map(\.id) : []
    }

    /// The next step of a closing; it unlocks the lines.
    ///
    /// - Parameter isCircular: Whether all that is left waits for whoever closes.
    private func takeStep(_ lines: Lines.Bits, isCircular: Bool = false) -> Step {
        var garbage = Garbage()
        var (step, ended) = (Step.over, Ends.ID(0))
        if let resource = node.takeTurn(&garbage) {
            let isAlone = node.pointee.closing == 0 && garbage.onlyResource != nil
            if isAlone, resource.isPlain, !node.hasUsers(of: resource) {
                step = .run(resource)
            } else {
                node.letGo(&garbage, .closing, turnOf: makeClosing(for: nil))
                step = garbage.takeReady(resource) ? .run(resource) : .wait([resource.id])
            }
        } else {
            if node.pointee.flags.contains(.left) { node.takeAwaitedBelow(&garbage) }
            node.letGo(&garbage, .closing)
            let left = isCircular ? [] : idsLeft
            if left.isEmpty {
                node.pointee.flags.subtract([.closing, .closingLate])
                node.pointee.flags.insert(.closed)
                swap(&ended, &node.pointee.closing)
            } else {
                makeClosing(for: nil)
                step = .wait(left)
            }
        }
        node.finishWriting(lines)
        garbage.letGo(of: self)
        if ended != 0 { Ending.shared.end(ended) }
        return step
    }

    // MARK: Performing them

    private nonisolated(nonsending) func perform(_ first: Step) async {
        guard let rest = runInForce(first) else { return }
        await rest.value
        await waitForLeft()
    }

    /// Waits for what a closing that is over has not waited for, because that waits for a cleanup which closes.
    ///
    /// That cleanup itself does not wait.
    private nonisolated(nonsending) func waitForLeft() async {
        let ids = node.whileReading { node.pointee.flags.contains(.closed) ? idsLeft : [] }
        if !ids.isEmpty { _ = await Ending.shared.wait(for: ids) }
    }

    /// Performs steps in the scope, as far as the first one that has to be awaited; returns a task that goes on from there.
    ///
    /// A cancellation of the calling task does not reach that task.
    private func runInForce(_ first: Step) -> Task<Void, Never>? {
        // `withChild` closes the scope in force.
        if Anchor.current?.node == node { return runAll(from: first) }
        return run { runAll(from: first) }
    }

    private func runAll(from first: Step) -> Task<Void, Never>? {
        guard let rest = runPlain(from: first) else { return nil }
        // Bound here: in asynchronous code each binding costs the hops of two calls.
        return Ending.$caller.withValue(node.pointee.closing) {
            if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
                Task.immediate { await self.goOn(from: rest) }
            } else {
                Task { await self.goOn(from: rest) }
            }
        }
    }

    /// Performs what need not be awaited, and returns what has to be.
    private func runPlain(from first: Step) -> Step? {
        var step = first
        while case .run(let resource) = step {
            guard resource.runPlain(in: self) else { return step }
            resource.end()
            step = takeStep(node.startWriting())
        }
        if case .over = step { return nil }
        return step
    }

    private func goOn(from first: Step) async {
        var next: Step? = first
        while let step = next {
            var isCircular = false
            switch step {
            case .run(let resource):
                await resource.run(in: self)
                resource.end()
            case .wait(let ids):
                let circle = await Ending.shared.wait(for: ids)
                report(circle: circle)
                isCircular = circle != nil
            case .over: return
            }
            next = runPlain(from: takeStep(node.startWriting(), isCircular: isCircular))
        }
    }

    // MARK: Waiting and limits

    /// Notes that what runs in the scopes below this one, as far as that of the caller, waits for the closing; false if there is none.
    @discardableResult
    private func markWaiting(_ isWaiting: Bool) -> Bool {
        guard let inner = Anchor.current?.node, inner != node else { return false }
        var garbage = Garbage()
        let lines = node.startWriting()
        let isBelow = inner.chain.contains(node)
        let between = isBelow ? Array(inner.chain.prefix { $0 != node }) : []
        for waiting in between {
            if isWaiting { waiting.pointee.flags.insert(.waiting) } else { waiting.pointee.flags.remove(.waiting) }
        }
        if isWaiting, isBelow { node.takeAwaited(&garbage) { between.contains($0) } }
        node.letGo(&garbage, .closing)
        node.finishWriting(lines)
        garbage.letGo(of: self)
        return isBelow
    }

    /// Gives up the order of the turns, and returns the names of what has not ended.
    private func hurry() -> [String] {
        var garbage = Garbage()
        let lines = node.startWriting()
        while node.takeTurn(&garbage) != nil {}
        node.pointee.flags.insert(.closingLate)
        node.letGo(&garbage, .closing)
        node.finishWriting(lines)
        garbage.letGo(of: self)
        return unfinished
    }

    /// The names of what was let go of here and has not ended, and of what that waits for.
    private var unfinished: [String] {
        let (ids, left) = Ending.shared.unfinished(of: self)
        let lines = node.startWriting()
        let users = node.names(of: ids)
        node.finishWriting(lines)
        return (left.map { $0.name(from: self) } + users).sorted()
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// Takes out what has its turn next in a closing; the first is nil if nothing is left.
    ///
    /// What was first built during the closing has its turn after all that was there, and then nothing more is built that
    /// has a cleanup.
    fileprivate func takeTurn(_ garbage: inout Garbage) -> Resource? {
        if pointee.turns == nil, pointee.cleanups != nil {
            pointee.flags.insert(.closingLate)
            swap(&pointee.turns, &pointee.cleanups)
        }
        guard let resource = pointee.turns?.object else { return nil }
        if let value = resource.value, let slot = slot(value.address),
            slot.pointee.cell?.kept?.pointee.resource == Borrowed(resource)
        {
            takeEnding(value, slot, &garbage)
        } else {
            garbage.add(remove(resource))
        }
        return resource
    }
}
