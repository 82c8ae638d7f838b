/// What was taken out of a table, to be let go of when no lock is held.
struct Garbage {
    private var objects: [AnyObject] = []

    mutating func add(_ object: AnyObject?) {
        if let object { objects.append(object) }
    }
}

extension ScopeTable {
    /// Takes out what is set, provided and kept for some keys, or for all.
    ///
    /// While writing.
    ///
    /// The caller has to invalidate the table: others may remember what is taken out.
    func removeBindings(of names: KeyNames) -> Garbage {
        var garbage = Garbage()
        names.forEach { name in
            withSlot(for: name.id) { Self.removeBindings(from: $0, into: &garbage, includingAliases: false) }
        }
        return garbage
    }

    func removeBindings(includingAliases: Bool) -> Garbage {
        var garbage = Garbage()
        forEachSlot { Self.removeBindings(from: $0, into: &garbage, includingAliases: includingAliases) }
        return garbage
    }

    private static func removeBindings(from slot: borrowing Slot, into garbage: inout Garbage, includingAliases: Bool) {
        garbage.add(slot.takeOwnCell())
        if includingAliases || slot.alias == nil {
            garbage.add(slot.takeLocal())
        } else if let local = slot.local?.takeUnretainedValue() {
            garbage.add(slot.takeKept())
            garbage.add(local.provider)
            local.provider = nil
        }
    }

    /// Takes out the values that were built, not those that were set.
    ///
    /// While writing.
    func removeKept() -> Garbage {
        var garbage = Garbage()
        forEachSlot { garbage.add($0.takeKept()) }
        return garbage
    }

    /// Empties the table of a scope that nobody holds any more.
    ///
    /// Under no lock. Where others read through the scope, they may still be copying from its cells.
    func removeEverything(isFollowed: Bool) {
        guard isFollowed else {
            forEachSlot { slot in
                // Whoever has a value of its own did not read through this scope, only asked it for names.
                if slot.alias != nil { locks.advanceEpoch() }
                slot.own?.release()
                slot.local?.release()
            }
            return
        }
        let lines = lockForWriting()
        locks.advanceEpoch()
        let garbage = removeBindings(includingAliases: true)
        locks.unlockLines(lines)
        withExtendedLifetime(garbage) {}
    }
}
