import Synchronization

/// How a thread takes the lines of a node; the caller keeps the node's scope alive, and holds no line.
extension UnsafeMutablePointer where Pointee == Node {
    /// Takes the line of the thread, under which the node may be read.
    @inline(__always)
    func startReading() -> Int {
        let line = pointee.lines.ofThread()
        pointee.lines.lock(line)
        // Acquiring: a writer may have changed the node before this line was among its readers.
        if pointee.readers.load(ordering: .acquiring) & Lines.bit(line) == 0 { join(line) }
        return line
    }

    /// Unlocks the line, after `finishRetaining`.
    @inline(__always)
    func finishReading(_ line: Int) {
        finishRetaining()
        pointee.lines.unlock(line)
    }

    @inline(__always)
    func finishReading(_ lines: Lines.Bits) {
        finishRetaining()
        pointee.lines.unlock(lines)
    }

    /// Calls a function while a line is held under which the node may be read.
    @inline(__always)
    func whileReading<Result>(_ body: () -> Result) -> Result {
        let line = startReading()
        defer { finishReading(line) }
        return body()
    }

    /// The same where nothing is read, built or changed for a request: not inlined, it takes less room.
    @inline(__always)
    func inspect<Result>(_ body: () -> Result) -> Result {
        let line = startInspecting()
        defer { finishInspecting(line) }
        return body()
    }

    @inline(never)
    private func startInspecting() -> Int { startReading() }

    @inline(never)
    private func finishInspecting(_ line: Int) { finishReading(line) }

    /// The lines of all readers, of which the caller holds one.
    @inline(__always)
    var linesOfReaders: Lines.Bits { Lines.Bits(bits: pointee.readers.load(ordering: .relaxed)) }

    /// Takes the lines of all readers.
    @inline(__always)
    func startWriting() -> Lines.Bits {
        while true {
            let lines = Lines.Bits(bits: pointee.readers.load(ordering: .acquiring))
            pointee.lines.lock(lines)
            if pointee.readers.load(ordering: .acquiring) == lines.bits { return lines }
            pointee.lines.unlock(lines)
        }
    }

    @inline(__always)
    func finishWriting(_ lines: Lines.Bits) {
        assert(!isHeldForWriting || checkInvariants())
        finishRetaining()
        pointee.lines.unlock(lines)
    }

    /// Calls a function while the lines of all readers are held; not inlined, for what few requests do.
    @inline(__always)
    func whileWriting<Result>(_ body: () -> Result) -> Result {
        let lines = lockReaders()
        defer { unlockReaders(lines) }
        return body()
    }

    @inline(never)
    private func lockReaders() -> Lines.Bits { startWriting() }

    @inline(never)
    private func unlockReaders(_ lines: Lines.Bits) { finishWriting(lines) }

    /// Adds a held line to the readers, for which it lets go of the line meanwhile.
    @inline(never)
    private func join(_ line: Int) {
        pointee.lines.unlock(line)
        addReaders(Lines.bit(line))
        pointee.lines.lock(line)
    }

    /// Adds lines to the readers of the node and its ancestors.
    func addReaders(_ new: UInt64) {
        var held = pointee.readers.load(ordering: .acquiring)
        while !hasReaders(new) {
            pointee.lines.lock(Lines.Bits(bits: held))
            // The readers of the outermost node that lacks one are enough for all further in.
            let needed = nodesLacking(new).last?.pointee.readers.load(ordering: .relaxed) ?? 0
            if needed & ~held == 0 { addReaders(new, whileHolding: Lines.Bits(bits: held)) }
            pointee.lines.unlock(Lines.Bits(bits: held))
            held |= needed
        }
    }

    /// The same by a caller that holds all lines of those that lack one.
    func addReaders(_ new: UInt64, whileHolding _: Lines.Bits) {
        // The outermost first, because whoever is a reader here walks on without another check.
        for node in nodesLacking(new).reversed() {
            assert(node.isHeldForWriting && node.next?.hasReaders(new) != false, "a reader is none of the parent's")
            let readers = node.pointee.readers.load(ordering: .relaxed) | new
            node.pointee.readers.store(readers, ordering: .releasing)
            if !node.isWatched { node.pointee.gate.store(readers, ordering: .releasing) }
        }
    }

    func hasReaders(_ lines: UInt64) -> Bool { pointee.readers.load(ordering: .acquiring) & lines == lines }

    /// The node and its ancestors as far as one of the lines is none of their readers; the caller holds lines of this one.
    private func nodesLacking(_ lines: UInt64) -> [NodePointer] { chain.prefix { !$0.hasReaders(lines) } }
}
