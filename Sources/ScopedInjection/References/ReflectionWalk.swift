/// Goes through the stored properties of instances, without recursion, and each object only once.
struct ReflectionWalk {
    /// Whether to go on into the properties' own properties.
    let isNested: Bool
    /// Whether to leave objects alone, and look at the layers of value types only.
    var isOfValueTypesOnly = false

    private var seen: Set<ObjectIdentifier> = []
    /// Keeps what was seen alive, so that no other object gets the same identity.
    private var kept: [AnyObject] = []

    private struct Place {
        let value: Any
        /// The object whose stored property this is, at whichever layer of value types; nil for a value type.
        let owner: AnyObject?
    }

    init(isNested: Bool) { self.isNested = isNested }

    /// Calls `reference` with each reference that is found, once each, and the object it lies in; what it gives is gone
    /// through in turn.
    mutating func visit(_ roots: [Any], _ reference: (any ScopedReference, AnyObject?) -> [Any]) {
        var pending = roots.map { Place(value: $0, owner: nil) }
        while let place = pending.popLast() {
            var owner = place.owner
            if Swift.type(of: place.value) is AnyClass {
                let object = place.value as AnyObject
                let found = object as? any ScopedReference
                if isOfValueTypesOnly, found == nil { continue }
                guard seen.insert(ObjectIdentifier(object)).inserted else { continue }  // fault: objects-once
                kept.append(object)
                if object is EnvironmentScope { continue }
                if let found {
                    pending += reference(found, owner).map { Place(value: $0, owner: nil) }
                    continue
                }
                owner = object
            }
            pending += children(of: place.value).map { Place(value: $0, owner: owner) }
        }
    }

    private func children(of value: Any) -> [Any] {
        if let collection = value as? any Collection, collection.hasTrivialElements { return [] }
        var mirror: Mirror? = Mirror(reflecting: value)
        if let optional = mirror, optional.displayStyle == .optional { return optional.children.map(\.value) }
        var children: [Any] = []
        while let level = mirror {
            for child in level.children where isNested || child.value is any ScopedReference {  // fault: own-references
                children.append(child.value)
            }
            mirror = level.superclassMirror  // fault: superclasses
        }
        return children
    }
}

extension Collection {
    /// Whether no element can hold a reference, however many there are.
    fileprivate var hasTrivialElements: Bool { _isPOD(Element.self) || Element.self == String.self }
}
