/// The caller holds a line.
extension UnsafeMutablePointer where Pointee == Node {
    /// The values that the scope has something for, but for its policy.
    ///
    /// - Parameter isMeant: Which of them; the default is all.
    func keys(where isMeant: (Slot) -> Bool = { !$0.isEmpty }) -> [ValueKey] {
        var keys: [ValueKey] = []
        forEachSlot { slot in
            guard let key = slot.pointee.key, key != DefaultsPolicy.key.address, isMeant(slot.pointee) else { return }
            keys.append(.at(key))
        }
        return keys
    }
}
