/// Lets go of kept values that are out of date, so that nothing large stays for good.
extension UnsafeMutablePointer where Pointee == Node {
    /// Counts a change of what decides on a key, and takes out what is out of date; the caller has called `startWriting`.
    ///
    /// Slots that were found before are no longer valid.
    func countChange(of key: ValueKey, _ garbage: inout Garbage) {
        let isTidy = !pointee.hasKept || isTidied
        countChange()
        if !pointee.hasKept { return }
        // What was built from a value that stays has no inputs of that.
        tidy(&garbage) { !isTidy || $0 == key || key.role != nil || $1.mayHaveInput(key.address) }
        markTidied()
    }

    /// Takes out all that is out of date, if something has changed since the last time.
    func tidy() {
        withScope { scope in
            scope.letGo(.inside) { tidyAll(&$0) }
        }
    }

    /// The same by a caller that has called `startWriting`.
    func tidyAll(_ garbage: inout Garbage) {
        tidy(&garbage) { _, _ in true }
        markTidied()
    }

    /// Takes out a value whose cleanups begin, and what was built from it; the caller has called `startWriting`.
    func takeEnding(_ value: ValueKey, _ slot: UnsafeMutablePointer<Slot>, _ garbage: inout Garbage) {
        let isInput = slot.pointee.cell?.isInput == true
        garbage.takeCell(of: slot, of: self, .closed)
        // What a small table decides on is no longer asked for when its scope is closed.
        if pointee.capacity > 32 { countRemoval() }
        // What was built from it has its own turn, or goes with the scope.
        if isInput { countChange() }
    }

    /// Whether something that is kept here may be out of date; the caller holds a line.
    func isUntidy(at stamp: UInt64) -> Bool {
        pointee.hasKept && pointee.tidied != UInt32(truncatingIfNeeded: stamp)
    }

    private var isTidied: Bool { pointee.tidied == UInt32(truncatingIfNeeded: stamp) }

    /// Notes that nothing that is kept here is out of date.
    func markTidied() { pointee.tidied = UInt32(truncatingIfNeeded: stamp) }

    private func tidy(_ garbage: inout Garbage, _ condition: (ValueKey, UnsafeMutablePointer<Kept>) -> Bool) {
        takeKept(&garbage) { key, kept in
            guard condition(key, kept) else { return false }
            // What only cleanups are given is not out of date by that.
            if kept.isEnding { return !ThreadState.asCleanup { Look.isCurrent(kept, of: key.address, in: self) } }
            return !Look.isCurrent(kept, of: key.address, in: self)
        }
    }

    /// Takes out the kept values that meet a condition, and returns whether there were any; the caller has called `startWriting`.
    ///
    /// - Parameter departure: Why; nil for those that are out of date.
    @discardableResult
    func takeKept(
        _ garbage: inout Garbage,
        _ departure: Departure? = nil,
        where isToGo: (ValueKey, UnsafeMutablePointer<Kept>) -> Bool
    ) -> Bool {
        var isRemoved = false
        forEachSlot { slot in
            guard let key = slot.pointee.key, let kept = slot.pointee.cell?.kept, isToGo(.at(key), kept) else { return }
            garbage.takeCell(of: slot, of: self, departure ?? Look.departure(of: kept, .at(key), in: self))
            isRemoved = true
        }
        if isRemoved { compact() }
        return isRemoved
    }
}
