/// The content of one slot, copied out for a description.
struct HeldSlot {
    fileprivate let key: ValueKey
    fileprivate let value: Any?
    fileprivate let isSet: Bool
    fileprivate let provider: Provider?

    /// A line for the value, and one for the provider.
    var texts: [String] {
        var texts: [String] = []
        if let value {
            let shown = shownText(of: value).map { ": \($0)" } ?? ""
            texts.append("\(key.name): \(isSet ? "set" : "kept"), \(key.valueName)\(shown)")
        }
        if let provider {
            let origin: String? =
                switch provider.origin {
                case .given(let place): "provided at \(ScopeError.Location(place))"
                case .set: "set, \(key.valueName)"
                case .beyond: nil
                case .alias(let target, _): "alias of \(target.name)"
                }
            let places = provider.decorations.map { "\(ScopeError.Location($0))" }
            let decorated = places.isEmpty ? nil : "decorated at \(places.joined(separator: ", "))"
            texts.append("\(key.name): \([origin, decorated].compactMap { $0 }.joined(separator: ", "))")
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
            let (cell, provider) = (slot.pointee.cell, slot.pointee.provider?.object)
            let isSet = cell?.isSet == true
            held.append(HeldSlot(key: .at(key), value: cell?.anyValue, isSet: isSet, provider: provider))
        }
        return held
    }
}
