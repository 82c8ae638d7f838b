/// Goes through the stored properties of instances, without recursion, and each object only once.
struct ReflectionWalk {
    /// Whether to go on into the properties' own properties.
    let isNested: Bool

    private var seen: Set<ObjectIdentifier> = []
    /// Keeps what was seen alive, so that no other object gets the same identity.
    private var kept: [AnyObject] = []

    init(isNested: Bool) { self.isNested = isNested }

    /// Calls `reference` with each reference and `scope` with each scope that is found, once each; what they give
    /// is gone through in turn.
    mutating func visit(
        _ roots: [Any],
        reference: (any ScopedReference) -> [Any],
        scope: (EnvironmentScope) -> [Any]
    ) {
        var pending = roots
        while let instance = pending.popLast() {
            if Swift.type(of: instance) is AnyClass {
                let object = instance as AnyObject
                guard seen.insert(ObjectIdentifier(object)).inserted else { continue }
                kept.append(object)
                if let found = object as? EnvironmentScope {
                    pending += scope(found)
                    continue
                }
                if let found = object as? any ScopedReference {
                    pending += reference(found)
                    continue
                }
            }
            var mirror: Mirror? = Mirror(reflecting: instance)
            if let optional = mirror, optional.displayStyle == .optional {
                pending += optional.children.map(\.value)
                continue
            }
            while let level = mirror {
                for child in level.children where isNested || Self.isReference(child.value) {
                    pending.append(child.value)
                }
                mirror = level.superclassMirror
            }
        }
    }

    private static func isReference(_ value: Any) -> Bool {
        value is any ScopedReference
    }
}
