import Synchronization

extension Reading {
    /// Tells the test that watches the scope of a read.
    ///
    /// - Parameter past: The version of the decision to skip; see `Question`.
    @inline(__always)
    func noteRead(of key: ValueKey, past: UInt64 = 0) {
        guard let rare = node.pointee.rare.load(ordering: .acquiring) else { return }
        if let watch = unsafeDowncast(rare.takeUnretainedValue(), to: Rare.self).watch { note(key, past, watch) }
    }

    @inline(never)
    private func note(_ key: ValueKey, _ past: UInt64, _ watch: ScopeWatch) {
        guard let inForce = node.withScope({ $0.watchInForce }) else { return }
        inForce.noteRead(of: keys(thatReach: inForce, by: key, past))
        guard inForce.isOver, outer == nil else { return }
        node.withScope { inForce.noteLateRead(of: key, in: $0, at: ReadingReference.current) }
    }

    /// The keys that a read looks up in the watched scope, or further out; several if aliases lead there.
    private func keys(thatReach watch: ScopeWatch, by key: ValueKey, _ past: UInt64) -> [ValueKey] {
        let line = node.startReading()
        defer { node.finishReading(line) }
        let level = node.chain.prefix { here in !here.withScope { watch.watches($0) } }.count
        var trail = Trail(key, past: past)
        var keys: [ValueKey] = []
        while true {
            let decision = Look.decide(Question(node: node, key: trail.key.address, past: trail.past))
            if Int(decision.level) >= level { keys.append(trail.key) }
            guard let target = decision.target, trail.follow(decision, to: target) else { return keys }
        }
    }
}
