import Synchronization

/// The aliases that a read followed, from the key that was asked for to the one it stands for.
struct Trail: ~Copyable {
    let asked: ValueKey
    /// The decision of a builder that inherits, which is skipped wherever the aliases lead to its key.
    private let skipped: UInt64
    /// The key at the end.
    private(set) var key: ValueKey
    /// The version of the decision to skip; 0 once it concerns no key further along.
    private(set) var past: UInt64
    private(set) var hops: [Hop] = []
    /// Whether the aliases form a circle.
    private(set) var isCircle = false
    /// A key that was passed, with which those further along are compared.
    private var mark: ValueKey

    struct Hop {
        let key: ValueKey
        let version: UInt64
        /// The version of the skipped decision.
        let past: UInt64
        let level: Int32
    }

    init(_ asked: ValueKey, past: UInt64) {
        self.asked = asked
        key = asked
        mark = asked
        self.past = past
        skipped = past > Input.own ? past : 0
    }

    /// Follows an alias; false if the decision is none, or closes a circle.
    mutating func follow(_ decision: Decision) -> Bool {
        guard let target = decision.target else { return false }
        hops.append(Hop(key: key, version: decision.version, past: past, level: decision.level))
        past = pastAfterHop(to: target)
        key = past == 0 ? target : target.inherited(by: target)
        isCircle = key == mark  // fault: alias-circle
        if isCircle { endAtRepetition() }
        // The marks are ever further apart, so a circle comes back to one, and a long row takes time by its length.
        if hops.count & (hops.count - 1) == 0 { mark = key }
        return !isCircle
    }

    /// Ends the trail where it comes back to a key for the first time.
    private mutating func endAtRepetition() {
        var known: Set<UnsafeRawPointer> = []
        guard let first = hops.firstIndex(where: { !known.insert($0.key.address).inserted }) else { return }
        key = hops[first].key
        hops.removeSubrange(first...)
    }

    /// The decision to skip on what an alias leads to, which may have been made through the alias.
    private func pastAfterHop(to target: ValueKey) -> UInt64 {
        if past == Input.own { return past }  // fault: inherited-alias
        // Else the builder whose decision is skipped would need its own value.
        return skipped != 0 && asked.passed == target ? skipped : 0  // fault: alias-past
    }

    /// Follows the aliases of a scope, whatever values are kept on the way, and returns the decision at the end.
    ///
    /// The caller holds a line.
    @discardableResult
    mutating func followAliases(in node: NodePointer) -> Decision {
        while true {
            let decision = Look.decide(Question(node: node, key: key.address))
            if !follow(decision) { return decision }
        }
    }

    /// The names along the trail.
    var names: [String] { hops.map(\.key.name) + [key.name] }

    /// The error of a circle.
    func error(in node: NodePointer) -> ScopeError {
        .circle(of: names, asked, searched: node.withScope { $0.chainNames })
    }
}

extension ScopeError {
    /// The error of aliases that form a circle.
    static func circle(of names: [String], _ key: ValueKey, searched: [String]) -> ScopeError {
        var error = ScopeError(.cycle, key: key, searched: searched, detail: "aliases")
        error.fields.path = names
        return error
    }
}

extension Look {
    /// What a read would return, with aliases followed.
    mutating func follow(_ trail: inout Trail, from node: NodePointer) -> Answer {
        while true {
            let answer = answer(Question(node: node, key: trail.key.address, past: trail.past))
            guard case .unbuilt(let decision) = answer, trail.follow(decision) else { return answer }
        }
    }

    /// Whether the aliases of a trail are still there.
    static func holds(_ trail: borrowing Trail, from node: NodePointer) -> Bool {
        trail.hops.allSatisfy { hop in
            decide(Question(node: node, key: hop.key.address, past: hop.past)).version == hop.version
        }
    }

    /// Removes the cells that were out of date, if they have not changed since; the caller holds no line.
    ///
    /// It ends the look, which would otherwise stay as long as a builder runs, and one for each builder within that.
    ///
    /// - Returns: What was removed, to be let go of.
    consuming func dropStale(from node: NodePointer) -> Garbage {
        var garbage = Garbage()
        guard let stale = notes?.stale, !stale.isEmpty else { return garbage }
        assert(Pause.at(Pause.beforeRemoval))
        let lines = node.pointee.lines
        lines.lock(.every)
        for entry in stale {
            guard let keeper = node.outwards(entry.level), let slot = keeper.slot(entry.key),
                let cell = slot.pointee.cell, let kept = cell.kept,
                cell.version == entry.version,  // fault: dropped-version
                kept.pointee.checked.load(ordering: .relaxed) != keeper.stamp  // fault: dropped-stamp
            else { continue }
            slot.pointee.cell = nil
            garbage.add(cell)
        }
        lines.unlock(.every)
        return garbage
    }
}

extension NodePointer {
    /// Whether a read would find a value without building; the caller holds no line.
    func hasValue(_ key: ValueKey, past: UInt64 = 0) -> Bool {
        whileReading {
            var look = Look()
            var trail = Trail(key, past: past)
            if case .cell = look.follow(&trail, from: self) { return true }
            return false
        }
    }
}

// MARK: - Recording a value that is there

/// A value that was found, as an input of a build.
struct Found {
    let version: UInt64
    let level: Int32
    let mask: UInt64
    let isPinned: Bool
}

extension Found {
    /// The caller holds a line.
    init(_ cell: Cell, level: Int32) {
        cell.noteInput()  // fault: input-noted
        version = cell.version
        self.level = level
        mask = cell.kept?.pointee.mask.load(ordering: .relaxed) ?? 0
        isPinned = cell.kept?.pointee.isPinned ?? false
    }

    /// Records the value in a build whose builder read it through its own scope.
    @inline(__always)
    func record(_ key: ValueKey, in build: Build) {
        let input = Input(fact: .value, level: level, key: key.address, version: version)
        build.record(input, mask: mask | key.bit, isPinned: isPinned)
    }
}

extension Reading {
    func record(_ found: Found, by trail: borrowing Trail) {
        record(hopsOf: trail)
        record(
            .value,
            trail.key.address,
            found.version,
            past: trail.past,
            level: found.level,
            mask: found.mask | trail.key.base.bit,
            isPinned: found.isPinned
        )
    }

    func record(hopsOf trail: borrowing Trail) {
        for hop in trail.hops {
            let mask = hop.key.base.bit
            let key = hop.key.address
            record(.decision, key, hop.version, past: hop.past, level: hop.level, mask: mask)  // fault: alias-input
        }
    }
}
