import Synchronization

/// How resolution reads and changes what a scope holds.
extension EnvironmentScope {
    /// Reads the table while nobody changes it.
    ///
    /// `body` must not call out.
    func look<Result>(_ body: (borrowing ScopeTable) -> Result) -> Result {
        let line = startLooking()
        defer {
            finishRetaining()
            table.unlockForReading(line)
        }
        return body(table)
    }

    /// Reads what is known of the parent while nobody changes it.
    ///
    /// `body` must not call out.
    func readParent<Result>(_ body: (borrowing ParentLink) -> Result) -> Result { look { _ in body(parentLink) } }

    /// What the scope's link leads to at the moment.
    var linkedParent: ParentLink.Parent { readParent { $0.parent } }

    /// Lets nobody change the table until the line is unlocked; nothing may be called out to meanwhile.
    @inline(__always)
    func startLooking() -> Int {
        let line = ReaderLocks.lineOfThread()
        if !table.lockForReading(line) { startLookingFirst(line) }
        return line
    }

    /// Adds a line to those of the table's readers, and takes it.
    @inline(never)
    private func startLookingFirst(_ line: Int) {
        repeat {
            state.withLock { _ in table.addReader(line) }
        } while !table.lockForReading(line)
    }

    /// Changes the table while nobody reads it; the last argument says whether other scopes read through this one.
    ///
    /// `body` must not call out, nor let go of a value.
    func change<Result>(_ body: (borrowing ScopeTable, inout ScopeState, Bool) -> sending Result) -> Result {
        state.withLock { state in
            let isFollowed = state.isFollowed
            let lines = table.lockForWriting()
            defer { table.unlockAfterWriting(lines, isFollowed: isFollowed) }
            return body(table, &state, isFollowed)
        }
    }

    /// Remembers where a read of the key gets its value from; false where something has changed since `stamp`.
    func remember(_ key: AnyKey, _ cell: AnyCell, stamp: UInt64) -> Bool {
        change { table, _, _ in table.putCurrentCell(cell, for: key.id, foundAt: stamp) }
    }
}
