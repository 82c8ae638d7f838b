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
        takeKept(.outOfDate(by: isTidy && key.role == nil ? key : nil), &garbage)
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
        takeKept(.outOfDate(), &garbage)
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

    /// Takes out kept values, and returns whether there were any; the caller has called `startWriting`.
    ///
    /// - Parameter departure: Why; nil for those that are out of date.
    @discardableResult
    func takeKept(_ condition: Going, _ garbage: inout Garbage, _ departure: Departure? = nil) -> Bool {
        var isRemoved = false
        forEachSlot { slot in
            guard let key = slot.pointee.key, let kept = slot.pointee.cell?.kept, goes(key, kept, condition) else {
                return
            }
            garbage.takeCell(of: slot, of: self, departure ?? Look.departure(of: kept, .at(key), in: self))
            isRemoved = true
        }
        if isRemoved { compact() }
        return isRemoved
    }

    private func goes(_ key: UnsafeRawPointer, _ kept: UnsafeMutablePointer<Kept>, _ condition: Going) -> Bool {
        switch condition {
        case .all: return true
        case .pinned: return kept.isPinned
        case .built(let input): return !kept.pointee.isOnce && kept.mayHaveInput(input.address)
        case .outOfDate(let changed):
            if let changed, key != changed.address, !kept.mayHaveInput(changed.address) { return false }
            // What only cleanups are given is not out of date by that.
            if kept.isEnding { return !ThreadState.asCleanup { Look.isCurrent(kept, of: key, in: self) } }
            return !Look.isCurrent(kept, of: key, in: self)
        }
    }
}

/// Which kept values are taken out.
enum Going {
    case all
    /// What is for the scope alone.
    case pinned
    /// What was built from a value, and follows it.
    case built(from: ValueKey)
    /// What is out of date; by a change of one value, or of any.
    case outOfDate(by: ValueKey? = nil)
}
