import Synchronization

extension NodePointer {
    /// The cell that a read returns, if the walk finds it; the caller holds a line.
    ///
    /// A set value decides. A kept value is returned if it was checked since the last change, and no scope further in
    /// decides on anything that it was built from.
    @inline(__always)
    func walk(_ key: UnsafeRawPointer, _ level: inout Int32) -> Cell? {
        var node = self
        var between: UInt64 = 0
        while true {
            if let slot = node.slot(key) {
                if let cell = slot.pointee.cell {
                    guard let kept = cell.kept else { return cell }
                    // In this order, so that the mask belongs to the check.
                    let isSeen =
                        kept.pointee.checked.load(ordering: .acquiring) == node.stamp  // fault: walk-stamp
                        && between & kept.pointee.mask.load(ordering: .relaxed) == 0  // fault: walk-mask
                    return isSeen ? cell : nil
                }
                if slot.pointee.provider != nil { return nil }  // fault: walk-provider
            }
            between |= node.pointee.decides
            guard let next = node.next else { return nil }
            node = next
            level &+= 1
        }
    }

    /// Whether a read that starts here needs only the walk; the caller holds the line.
    @inline(__always)
    func isOpen(_ line: Int) -> Bool { pointee.gate.load(ordering: .acquiring) & Lines.bit(line) != 0 }
}

extension EnvironmentScope {
    /// The value as this scope sees it; ends the program if there is none.
    @inline(__always)
    func read<Value>(_ key: TypedKey<Value>) -> Value { glance(key) { valueOrEnd(key, mayBeWatched: $0) } }

    /// The value as this scope sees it, or the error that says why there is none.
    @inline(__always)
    func value<Value>(of key: TypedKey<Value>) throws(ScopeError) -> Value {
        try glance(key) { mayBeWatched throws(ScopeError) in
            try search(key, mayBeWatched: mayBeWatched, isCaught: true)
        }
    }

    /// The value, if the walk finds it; otherwise the result of `otherwise`.
    @inline(__always)
    private func glance<Value, Failure: Error>(
        _ key: TypedKey<Value>,
        otherwise: (_ mayBeWatched: Bool) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let read: HeldRead
        if let node {
            read = HeldRead(key, in: node)
        } else if let given {
            // A builder reads through its own scope; most reads of builders are of this kind.
            if ThreadState.current.pointee.build?.toOpaque() == given.toOpaque() {
                let node = given._withUnsafeGuaranteedRef { $0.asking }
                let line = Lines.ofThread()
                node.pointee.lines.lock(line)
                var level: Int32 = 0
                let isOpen = node.isOpen(line)
                if isOpen, let cell = node.walk(key.address, &level) {
                    let value = cell.value(as: Value.self)
                    let found = Found(cell, level: level)
                    node.finishReading(line)
                    given._withUnsafeGuaranteedRef { found.record(key.key, in: $0) }
                    return value
                }
                node.pointee.lines.unlock(line)
                return try otherwise(!isOpen)
            }
            read = .notStarted
        } else {
            read = HeldRead(inGlobal: key)
        }
        guard let address = read.address else { return try otherwise(read.mayBeWatched) }
        let value: Value = HeldRead.value(at: address)
        finishRetaining()
        read.unlock()
        return value
    }

    /// The value as this scope sees it, found or built.
    ///
    /// - Parameter isCaught: Whether a builder may catch the error.
    @inline(never)
    private func search<Value>(
        _ key: TypedKey<Value>,
        mayBeWatched: Bool,
        isCaught: Bool
    ) throws(ScopeError) -> Value {
        while true {
            let reading = try Reading.through(self, key.key)
            if mayBeWatched { reading.noteRead(of: key.key) }
            do throws(ScopeError) {
                let value = try Resolution.value(of: key, reading)
                if !reading.wasOvertaken() { return value }  // fault: value-overtaken
            } catch {
                if !reading.wasOvertaken() { throw isCaught ? told(error, reading) : error }  // fault: error-overtaken
            }
        }
    }

    /// The value that the walk did not find; ends the program if there is none.
    @inline(never)
    func valueOrEnd<Value>(_ key: TypedKey<Value>, mayBeWatched: Bool) -> Value {
        if PathAssignment.isInProgress { return assignedValueOrEnd(key, mayBeWatched: mayBeWatched) }
        return searchOrEnd(key, mayBeWatched: mayBeWatched)
    }

    /// The value for a read that an assignment through a key path makes.
    ///
    /// It is apart, because the type of an optional value is looked up when the function is entered.
    @inline(never)
    private func assignedValueOrEnd<Value>(_ key: TypedKey<Value>, mayBeWatched: Bool) -> Value {
        PathAssignment.placeholder(for: key, in: self) ?? searchOrEnd(key, mayBeWatched: mayBeWatched)
    }

    /// The value, after as many attempts as the watch of a test allows; ends the program otherwise.
    @inline(__always)
    private func searchOrEnd<Value>(_ key: TypedKey<Value>, mayBeWatched: Bool) -> Value {
        var failures: [ScopeError] = []
        while true {
            do {
                let value = try search(key, mayBeWatched: mayBeWatched, isCaught: false)
                if !failures.isEmpty { target?.watchInForce?.noteGiven(after: failures) }
                return value
            } catch {
                guard let watch = target?.watchInForce, watch.retries(after: error.located(), &failures) else {
                    error.endProgram()
                }
            }
        }
    }
}
