import Synchronization

extension GlobalScope {
    /// The value as the global scope sees it, read without retaining that; else what `otherwise` gives.
    @inline(__always)
    static func read<Value>(_ key: TypedKey<Value>, otherwise: () -> Value) -> Value {
        if ThreadState.current.pointee.detours == 0 {
            let lines = Lines.shared
            let line = Lines.ofThread()
            lines.lock(line)
            if let node = link._withUnsafeGuaranteedRef({ $0.node }),
                node.pointee.gate.load(ordering: .acquiring) & Lines.bit(line) != 0, let cell = node.walk(key.address)
            {
                let value = cell.value(as: Value.self)
                node.finishReading(line)
                return value
            }
            lines.unlock(line)
        }
        return otherwise()
    }
}
