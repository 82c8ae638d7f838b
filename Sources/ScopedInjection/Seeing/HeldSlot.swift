/// The content of one slot, copied out for a description.
struct HeldSlot {
    let key: ValueKey
    private let value: Any?
    private let isSet: Bool
    private let provider: Provider?

    init(_ slot: Slot, _ key: ValueKey) {
        self.key = key
        value = slot.cell?.anyValue
        isSet = slot.cell?.isSet ?? false
        provider = slot.provider?.takeUnretainedValue()
    }

    var texts: [String] {
        var texts: [String] = []
        if let value {
            let shown = shownText(of: value).map { ": \($0)" } ?? ""
            texts.append("\(isSet ? "set" : "kept"), \(key.valueName)\(shown)")
        }
        if let provider {
            let target = provider.target.map { "alias of \($0.name)" }
            texts.append(target ?? "provided at \(ScopeError.Location(provider.place))")
        }
        return texts
    }
}

extension UnsafeMutablePointer where Pointee == Node {
    /// The content of the node; the caller holds a line.
    var heldSlots: [HeldSlot] {
        var held: [HeldSlot] = []
        forEachSlot { slot in
            guard let key = slot.pointee.key, key != DefaultsPolicy.key.address else { return }
            held.append(HeldSlot(slot.pointee, .at(key)))
        }
        return held
    }
}
