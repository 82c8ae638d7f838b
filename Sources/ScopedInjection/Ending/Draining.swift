import Synchronization

/// Who is inside: a closing waits for the bodies that run in its scope and further in, but for those of the scopes in which somebody runs
/// who closes it himself. The caller of each function has called `startWriting`, unless it says otherwise.
extension EnvironmentScope {
    /// Whether the closer has to wait for a body.
    func hasOthers(than closer: Closer) -> Bool {
        node.mayHaveBodies(moreThan: closer == .body ? 1 : 0) && !others(than: closer).isEmpty
    }

    /// Lets the closer wait for all bodies of this moment; returns the ids to wait for, and the names of their scopes.
    func waitForOthers(than closer: Closer) -> (ids: [Ends.ID], names: [String]) {
        var (ids, names): ([Ends.ID], Set<String>) = ([], [])
        for (body, inner) in others(than: closer) {
            let id = body.id
            ids.append(id)
            names.insert(inner.withScope { $0.displayName })
            if body.with({ $0.whenLeft == nil }) {
                Ending.shared.open(id, .body(in: inner.withScope { $0.name }))
                body.with { $0.whenLeft = { Ending.shared.end(id) } }
            }
        }
        return (ids, names.sorted())
    }

    /// The names of the scopes in which somebody runs for whom a closing would wait.
    func namesOfOthers(than closer: Closer) -> Set<String> {
        Set(others(than: closer).map { $0.scope.withScope { $0.displayName } })
    }

    private func others(than closer: Closer) -> [(body: Borrowed<Anchor>, scope: NodePointer)] {
        let own = closer == .body ? Anchor.current.map { Borrowed($0) } : nil
        let isOfCloser = isOfCloser(closer)
        return node.bodies().filter { $0.body != own && !isOfCloser($0.scope) }
    }

    /// Tells whether somebody runs in a scope, or further in, who closes this one or one further out.
    private func isOfCloser(_ closer: Closer) -> (NodePointer) -> Bool {
        let own = closer == .anybody ? Anchor.current?.node : nil
        let closers = node.chain.flatMap { $0.extras?.closers ?? [] } + (own.map { [$0] } ?? [])
        return { scope in closers.contains { $0 == scope || $0.isFurtherIn(than: scope) } }
    }

    /// The scopes further in that keep something to end, but for those in which somebody runs who closes this one.
    func scopesToClose(_ closer: Closer) -> [EnvironmentScope] {
        let keepers = node.keepersFurtherIn()
        if keepers.isEmpty { return [] }
        let isOfCloser = isOfCloser(closer)
        return keepers.compactMap { isOfCloser($0) ? nil : $0.aliveScope }
    }

    // MARK: Who closes from inside

    /// Notes the scope in which the caller runs, if that is this one or one further in; no line is held.
    ///
    /// Nobody who drains waits any more for what runs in the scopes in which the caller does: it waits itself.
    func markCloser() -> NodePointer? {
        guard let inner = Anchor.current?.node else { return nil }
        var rest: [@Sendable () -> Void] = []
        let isInside = node.whileWriting {
            guard inner == node || inner.isFurtherIn(than: node) else { return false }
            node.makeExtras().closers.append(inner)
            for (body, at) in node.bodies() where at == inner || inner.isFurtherIn(than: at) {
                if let next = body.with({ $0.whenLeft.take() }) { rest.append(next) }
            }
            return true
        }
        for next in rest { next() }
        return isInside ? inner : nil
    }

    func unmark(closer inner: NodePointer) {
        node.whileWriting {
            guard let extras = node.extras, let index = extras.closers.firstIndex(of: inner) else { return }
            extras.closers.remove(at: index)
        }
    }

    // MARK: Who comes while the ends run

    /// Whether the calling code is a cleanup, or works for one.
    static var isCleaning: Bool { ThreadState.current.pointee.activity.isCleaning || Ending.caller.isAnybody }

    /// From now on what has something to end is given to cleanups only.
    func refuseOutsiders() {
        guard node.pointee.cleanups != nil, node.pointee.hasKept else { return }
        node.forEachSlot { $0.pointee.cell?.kept?.markEnding() }
        node.countChange()
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// Whether the calling code keeps nothing here any more that has a cleanup; the caller holds a line.
    var refusesCleanups: Bool {
        let flags = pointee.flags
        if flags.isDisjoint(with: [.closing, .closed]) { return false }
        return flags.refuseCleanups || !EnvironmentScope.isCleaning
    }
}
