/// Closes scopes: who is inside leaves first, then the scopes further in end, and then the cleanups take turns.
extension EnvironmentScope {
    var isClosedNow: Bool { node.inspect { node.pointee.flags.contains(.closed) } }

    /// Whether somebody closes it, or has.
    var isClosingNow: Bool { node.inspect { !node.pointee.flags.isDisjoint(with: [.draining, .closing, .closed]) } }

    func addCleanup(_ cleanup: __owned Cleanup) {
        let resource = Resource(cleanup)
        if !addCleanups(resource) { letGo(of: resource) }
    }

    /// Adds cleanups of the scope; false where that keeps none any more, or where something that they use was let go of: whoever
    /// did that waits for them, and nobody would let go of them.
    func addCleanups(_ resource: Resource) -> Bool {
        let lines = node.startWriting()
        // Those of a value, which is not kept, are refused where the value would be.
        let isRefused = resource.value == nil ? node.pointee.flags.contains(.closed) : node.refusesCleanups
        let isTaken = !isRefused && !resource.isLate
        if isTaken { resource.value = nil }
        let revived = isTaken ? node.add(resource, isNext: true) : []
        node.finishWriting(lines)
        for used in revived { Ending.shared.end(used.id) }
        return isTaken
    }

    /// Who closes a scope.
    enum Closer {
        /// Some code, which does not wait for the bodies of the scopes in which it runs itself.
        case anybody
        /// The body in force, at its end; it waits for all others.
        case body
    }

    /// What is left of a closing to be awaited.
    struct Rest {
        fileprivate let closer: Closer
        /// Whether somebody else runs in the scope, so that nothing has begun.
        fileprivate var isDraining = false
        /// Who goes on.
        fileprivate var task: Task<Void, any Error>?
        fileprivate var ends: Ending.Targets?
        /// The scopes in which somebody still ran when the ends began at a limit.
        fileprivate var inside: Set<String>?

        fileprivate var isNothing: Bool { !isDraining && task == nil && ends == nil }
    }

    /// Closes the scope at the end of the body in force; returns what has not ended by a limit, which goes on.
    @discardableResult
    @usableFromInline
    nonisolated(nonsending) func closeAtEnd(within limit: Duration? = nil) async -> [String] {
        // Without another asynchronous call where nothing has to be awaited.
        guard let rest = closeAtOnce(.body, isLimited: limit != nil) else { return [] }
        return await finish(rest, within: limit)
    }

    /// The same by any other code.
    nonisolated(nonsending) func closeAll(within limit: Duration? = nil) async -> [String] {
        guard let rest = closeAtOnce(isLimited: limit != nil) else { return [] }
        return await finish(rest, within: limit)
    }

    /// Closes a scope whose configuration has failed; what has to be awaited is, in a task of its own.
    @inline(never)
    func closeAfterFailure(_ closer: Closer) {
        ThreadState.aside {
            if let rest = closeAtOnce(closer) { Task.detached { _ = await self.finish(rest) } }
        }
    }

    /// Begins to close, if nobody has and nobody else is inside, and does what need not be awaited; returns what has to be.
    func closeAtOnce(_ closer: Closer = .anybody, isLimited: Bool = false) -> Rest? {
        var rest = Rest(closer: closer)
        let lines = node.startWriting()
        if node.pointee.flags.isDisjoint(with: [.closing, .closed]), hasOthers(than: closer) {
            node.pointee.flags.insert(.draining)
            node.finishWriting(lines)
            rest.isDraining = true
        } else {
            begin(lines, isLimited: isLimited, &rest)
        }
        return rest.isNothing ? nil : rest
    }

    nonisolated(nonsending) func finish(_ first: Rest, within limit: Duration? = nil) async -> [String] {
        var rest = first
        let start = limit.map { _ in Stopwatch() }
        let mark = rest.closer == .anybody ? markCloser() : nil
        defer { if let mark { unmark(closer: mark) } }
        if rest.isDraining { await drain(&rest, within: limit.map { $0 / 2 }) }
        _ = await rest.task?.result
        if let limit, let start, let ends = rest.ends { return await finish(ends, within: limit, start, rest.inside) }
        if let ends = rest.ends { report(circle: await Ending.shared.wait(for: ends)) }
        // A cleanup that closes does not wait for itself, and so may have closed the scope before the others have ended.
        let pending = node.inspect { node.pointee.flags.contains(.closed) ? self.pending() : nil }
        if let pending { _ = await Ending.shared.wait(for: pending) }
        return []
    }

    /// Waits until nobody else runs in the scope or further in, or for so long, and then begins to close, if nobody has.
    private nonisolated(nonsending) func drain(_ rest: inout Rest, within limit: Duration?) async {
        let stopwatch = Stopwatch()
        var (isTold, isLate) = (false, limit.map { $0 <= .zero } == true)
        rest.isDraining = false
        while true {
            let lines = node.startWriting()
            let hasBegun = !node.pointee.flags.isDisjoint(with: [.closing, .closed])
            let (ids, names) = hasBegun || isLate ? ([], []) : waitForOthers(than: rest.closer)
            if ids.isEmpty {
                if isLate { rest.inside = namesOfOthers(than: rest.closer) }
                return begin(lines, isLimited: limit != nil, &rest)
            }
            node.finishWriting(lines)
            if !isTold { report(ScopeEvent(.draining, in: self, names: names)) }
            isTold = true
            let circle = await Ending.shared.wait(for: .init(ids: ids), within: limit.map { $0 - stopwatch.time })
            report(circle: circle)
            isLate = circle != nil || limit.map { stopwatch.time >= $0 } == true
        }
    }

    /// Begins to close, if nobody has, and gives what has to be waited for; the lines are held, and it unlocks them.
    private func begin(_ lines: Lines.Bits, isLimited: Bool, _ rest: inout Rest) {
        var (turn, ends) = (Resource?.none, Ending.Targets?.none)
        switch node.pointee.flags.intersection([.closing, .closed]) {
        case .closed:
            rest.ends = pending()
            return node.finishWriting(lines)
        case .closing:
            openClosing()
            rest.ends = Ending.Targets(ids: [closingID])
            return node.finishWriting(lines)
        default: break
        }
        node.pointee.flags.insert(.closing)
        node.pointee.flags.remove(.draining)
        refuseOutsiders()
        if isLimited { openClosing() }
        if let inner = node.mayHaveKeepersFurtherIn ? scopesToClose(rest.closer) : nil, !inner.isEmpty {
            node.finishWriting(lines)
            ends = Ending.Targets(ids: inner.map { $0.closeAsPart() })
        } else {
            turn = takeTurn(lines, &ends)
        }
        if turn == nil, ends == nil { return }
        let caller = Anchor.current
        if isLimited {
            let (first, others) = (turn, ends)
            rest.ends = Ending.Targets(ids: [closingID])
            // The caller waits by a call of its own, which it gives up at the limit.
            Ending.$caller.withValue(.init()) {
                _ = Task {
                    var (turn, ends) = (first, others)
                    _ = await perform(&turn, &ends, from: Anchor.current)?.result
                }
            }
        } else {
            rest.task = perform(&turn, &ends, from: caller)
        }
    }

    /// Closes a scope for one further out, in a task of its own; returns the id by which that waits.
    private func closeAsPart() -> Ends.ID {
        let id = Ending.shared.open(.closing(of: name))
        let anchor = Anchor(self)
        Task.detached {
            _ = await Ending.$caller.withValue(.init(run: id)) { await self.closeAll() }
            Ending.shared.end(id)
            withExtendedLifetime(anchor) {}
        }
        return id
    }
}
