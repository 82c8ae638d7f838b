import Synchronization

extension Reading {
    /// Tells the watch of the scope, if it has one, of a read.
    ///
    /// - Parameter past: The version of the decision to skip; see `Question`.
    @inline(__always)
    func noteRead(of key: ValueKey, past: UInt64 = 0) {
        if node.pointee.rare.load(ordering: .acquiring) != nil { node.note(key, past, isInBuilder: outer != nil) }
    }
}

extension EnvironmentScope {
    /// The same, of a read of what the scope itself holds.
    func noteReadOfOwn(_ key: ValueKey) {
        guard rare != nil else { return }
        node?.note(key, 0, isInBuilder: ThreadState.current.pointee.build != nil)
    }
}

extension NodePointer {
    @inline(never)
    fileprivate func note(_ key: ValueKey, _ past: UInt64, isInBuilder: Bool) {
        guard let watch = withScope({ $0.watchInForce }) else { return }
        watch.noteRead(WatchedRead(node: self, value: key, past: past, isInBuilder: isInBuilder))
    }
}

extension WatchedRead {
    /// The place in the source of the reference that this thread reads through.
    package var reference: ScopeError.Location? { ReadingReference.current }

    /// The names of the scopes that are searched.
    package var searchedScopes: [String] { node.withScope { $0.chainNames } }

    /// The keys that a read looks up in the watched scope, or further out; several if aliases lead there.
    package func values(reaching watch: some ScopeWatch) -> [ValueKey] {
        let level = node.withScope { $0.chain }.prefix { !watch.watches($0) }.count
        let line = node.startReading()
        defer { node.finishReading(line) }
        var trail = Trail(value, past: past)
        var values: [ValueKey] = []
        while true {
            let decision = Look.decide(Question(node: node, key: trail.key.address, past: trail.past))
            if Int(decision.level) >= level { values.append(trail.key.base) }
            if !trail.follow(decision) { return values }
        }
    }

    /// Whether the read returns a default that is not safe in tests, as far as that is known before it.
    ///
    /// For a kept value, all its inputs are known; for one that has to be built, only its own default.
    package var usesDefault: Bool {
        let line = node.startReading()
        defer { node.finishReading(line) }
        var look = Look()
        var trail = Trail(value, past: past)
        switch look.follow(&trail, from: node) {
        case .cell(let cell, _):
            return cell.kept.map { $0.pointee.mask.load(ordering: .relaxed) & Mask.policy != 0 } ?? false
        case .unbuilt(let decision):
            return decision.isDefault && !trail.key.isSafeInTests
        case .underway:
            return false
        }
    }
}
