import Synchronization

extension Rare {
    /// Whether a builder made the scope that is over: the scope has the watch of its parent.
    fileprivate var isOfFormerBuilder: Bool { maker.map { !$0.isBuilding } ?? false }  // fault: watched-made
}

extension EnvironmentScope {
    /// The watch that scopes made below this one are under.
    @inline(__always)
    var watchOfChildren: (any ScopeWatch)? {
        // The gate of a watched scope is closed, as is that of one that a builder made.
        if let node, node.pointee.gate.load(ordering: .acquiring) != 0 { return nil }
        return watchBehindGate
    }

    /// A scope that a builder was given, or has made, lies below the keeper once the build is over.
    @inline(never)
    private var watchBehindGate: (any ScopeWatch)? {
        var scope = self
        while true {
            let outer: EnvironmentScope?
            if scope.node != nil {
                guard let rare = scope.rare else { return nil }
                if let watch = rare.watch { return watch }
                outer = rare.isOfFormerBuilder ? scope.nextScope : nil
            } else if let build = scope.build {
                outer = build.isBuilding ? nil : scope.target  // fault: watched-given
            } else {
                return GlobalScope.watch
            }
            guard let outer else { return nil }
            scope = outer
        }
    }

    /// Whether the scope is one that the watch is told of.
    package func isWatched(by watch: any ScopeWatch) -> Bool { watchOfChildren === watch }

    /// The watch of the nearest scope that is watched.
    var watchInForce: (any ScopeWatch)? {
        let chain = chain
        // Each scope's watch may be the one of its parent, so the way from outside inwards takes each step once.
        var (watch, nearest): ((any ScopeWatch)?, (any ScopeWatch)?)
        for scope in chain.reversed() {
            let rare = scope.rare
            if rare?.isOfFormerBuilder != true { watch = nil }
            if let own = rare?.watch { watch = own }
            if let watch, watch.watches(scope) { nearest = watch }
        }
        if let nearest { return nearest }
        // If the watched scope is gone, those below it still know the watch.
        guard let last = chain.last, last.node?.link != nil else { return nil }
        return last.rare?.watch  // fault: watched-gone
    }

    /// Whether the calling thread runs a builder.
    package static var isBuilding: Bool { ThreadState.current.pointee.build != nil }

    /// Whether the calling thread runs a builder for a scope that does not lie below the one that is watched.
    package static func isBuilding(outside watch: some ScopeWatch) -> Bool {
        let thread = ThreadState.current
        guard let innermost = thread.pointee.innermostBuild else { return false }
        return innermost.ancestry.contains { build in
            build.isRunning(on: thread) && build.asking.withScope { $0.watchInForce !== watch }
        }
    }
}

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
        // The read fails there, or is given what the value has for tests.
        if Policy.outcome(in: node).isForbidden { return false }  // fault: watched-policy
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
