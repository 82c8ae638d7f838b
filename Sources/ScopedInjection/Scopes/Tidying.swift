/// Lets go of kept values that are out of date, so that nothing large stays for good.
extension UnsafeMutablePointer where Pointee == Node {
    /// Takes out what was built from a key; the caller has called `startWriting`, and changed what decides on the key.
    ///
    /// Slots that were found before are no longer valid.
    func tidy(after key: ValueKey, _ garbage: inout Garbage) {
        if pointee.keptValues == 0 { return }
        tidy(&garbage) { $0 == key || $1.pointee.hashes & key.hashBit != 0 }
    }

    /// Takes out all that is out of date, if something has changed since the last time.
    func tidy() {
        var garbage = Garbage()
        let lines = startWriting()
        tidy(&garbage) { _, _ in true }
        pointee.tidied = stamp
        finishWriting(lines)
        withScope { $0 }.letGo(of: &garbage)
    }

    /// Takes out all that is kept; the caller has called `startWriting`.
    func takeKept(_ garbage: inout Garbage) {
        var isRemoved = false
        forEachSlot { slot in
            guard slot.pointee.cell?.isSet == false else { return }
            let provider = slot.pointee.provider.take()
            garbage.empty(slot, of: self)
            slot.pointee.provider = provider
            isRemoved = true
        }
        if isRemoved { noteRemovals() }
    }

    /// Whether something that is kept here may be out of date; the caller holds a line.
    var isUntidy: Bool { pointee.keptValues > 0 && pointee.tidied != stamp }

    private func tidy(_ garbage: inout Garbage, _ condition: (ValueKey, UnsafeMutablePointer<Kept>) -> Bool) {
        var isRemoved = false
        forEachSlot { slot in
            guard let key = slot.pointee.key, let kept = slot.pointee.cell?.kept, condition(ValueKey.at(key), kept),
                !Look.isCurrent(kept, of: key, in: self)
            else { return }
            let provider = slot.pointee.provider.take()
            garbage.empty(slot, of: self)
            slot.pointee.provider = provider
            isRemoved = true
        }
        if isRemoved { noteRemovals() }
    }
}
