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
            let origin: String? =
                switch provider.origin {
                case .given(let place): "provided at \(ScopeError.Location(place))"
                case .set: "set, \(key.valueName)"
                case .beyond: nil
                case .alias(let target): "alias of \(target.name)"
                }
            let places = provider.decorations.map { "\(ScopeError.Location($0))" }
            let decorated = places.isEmpty ? nil : "decorated at \(places.joined(separator: ", "))"
            texts.append([origin, decorated].compactMap { $0 }.joined(separator: ", "))
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
