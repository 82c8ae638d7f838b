import Synchronization

extension NodePointer {
    /// The cell that a read gets its value from, where that takes no more than going outwards; while reading.
    ///
    /// A value that is set decides. One that was built is given where it was checked since the last change, and where no
    /// scope further in decides on anything it was built from.
    @inline(__always)
    func walk(_ key: UnsafeRawPointer) -> Cell? {
        var node = self
        var between: UInt64 = 0
        while true {
            if let slot = node.slot(key) {
                if let cell = slot.pointee.cell {
                    guard let kept = cell.kept else { return cell }
                    // In this order: the mask is the one of that check.
                    let isSeen =
                        kept.pointee.checked.load(ordering: .acquiring) == node.stamp
                        && between & kept.pointee.mask.load(ordering: .relaxed) == 0
                    return isSeen ? cell : nil
                }
                if slot.pointee.provider != nil { return nil }
            }
            between |= node.pointee.decides
            guard let next = node.next else { return nil }
            node = next
        }
    }
}

extension EnvironmentScope {
    /// The value as this scope sees it; ends the program where there is none.
    @inline(__always)
    func read<Value>(_ key: TypedKey<Value>) -> Value {
        if let node, ThreadState.current.pointee.detours == 0 {
            let line = Lines.ofThread()
            node.pointee.lines.lock(line)
            if node.pointee.gate.load(ordering: .acquiring) & Lines.bit(line) != 0, let cell = node.walk(key.address) {
                let value = cell.value(as: Value.self)
                node.finishReading(line)
                return value
            }
            node.pointee.lines.unlock(line)
        }
        return valueOrEnd(key)
    }

    /// The value as this scope sees it, or why there is none.
    @inline(__always)
    func value<Value>(of key: TypedKey<Value>, past: UInt64 = 0) throws(ScopeError) -> Value {
        let reading = try Reading.through(self, key)
        reading.noteRead(of: key)
        return try Resolution.value(of: key, past: past, reading)
    }

    @inline(never)
    func valueOrEnd<Value>(_ key: TypedKey<Value>) -> Value {
        if let value = PathAssignment.placeholder(for: key, in: self) { return value }
        var triedBefore: Set<UnsafeRawPointer> = []
        while true {
            do {
                return try value(of: key)
            } catch {
                guard let watch = target?.watchInForce, watch.takes(error.located(), triedBefore: &triedBefore) else {
                    error.endProgram()
                }
            }
        }
    }
}
