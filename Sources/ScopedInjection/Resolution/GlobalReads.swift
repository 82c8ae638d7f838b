import Synchronization

extension GlobalScope {
    /// The value as the global scope sees it, read without retaining the scope; otherwise the result of `otherwise`.
    @inline(__always)
    static func read<Value, Failure: Error>(
        _ key: TypedKey<Value>,
        otherwise: (_ mayBeWatched: Bool) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        if ThreadState.current.pointee.detours == 0 {
            // The first access makes it, which needs the lines, so it comes before a line is held.
            let link = link
            let lines = Lines.shared
            let line = Lines.ofThread()
            lines.lock(line)
            var isOpen = false
            if let node = link._withUnsafeGuaranteedRef({ $0.node }) {
                isOpen = node.isOpen(line)
                if isOpen, let cell = node.walk(key.address) {
                    let value = cell.value(as: Value.self)
                    node.finishReading(line)
                    return value
                }
            }
            lines.unlock(line)
            return try otherwise(!isOpen)
        }
        return try otherwise(true)
    }
}
