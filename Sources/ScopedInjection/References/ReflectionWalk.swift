/// Visits the stored properties of instances, without recursion, and each object only once.
struct ReflectionWalk {
    private struct Visit {
        let value: Any
        /// The object whose stored property this is, through any layers of value types; nil if there is none.
        let owner: AnyObject?
    }

    private let isNested: Bool
    /// Kept alive, so that no other object gets the same identity.
    private var seen: [ObjectIdentifier: AnyObject] = [:]
    private var pending: [Visit]

    /// - Parameter isNested: Whether to visit the properties of properties.
    init(_ roots: [Any], isNested: Bool) {
        self.isNested = isNested
        pending = roots.map { Visit(value: $0, owner: nil) }
    }

    /// The next reference, with the object it belongs to.
    mutating func next() -> (reference: any ScopedReference, owner: AnyObject?)? {
        while let visit = pending.popLast() {
            var owner = visit.owner
            if Swift.type(of: visit.value) is AnyClass {
                let object = visit.value as AnyObject
                if seen.updateValue(object, forKey: ObjectIdentifier(object)) != nil { continue }
                if object is EnvironmentScope || object is any Awaited { continue }
                if let found = object as? any ScopedReference { return (found, owner) }
                owner = object
            }
            pending += Self.children(of: visit.value, isNested).map { Visit(value: $0, owner: owner) }
        }
        return nil
    }

    /// Visits a value next, that of a reference.
    mutating func enter(_ value: Any) { pending.append(Visit(value: value, owner: nil)) }

    private static func children(of value: Any, _ isNested: Bool) -> [Any] {
        var mirror: Mirror? = Mirror(reflecting: value)
        switch mirror?.displayStyle {
        case .optional: return mirror?.children.map(\.value) ?? []
        // Other types that are collections may have stored properties besides their elements.
        case .collection, .set:
            if let collection = value as? any Collection, collection.hasTrivialElements { return [] }
        default: break
        }
        var children: [Any] = []
        while let level = mirror {
            for child in level.children where isNested || child.value is any ScopedReference {
                children.append(child.value)
            }
            mirror = level.superclassMirror
        }
        return children
    }
}

extension Collection {
    /// Whether no element can hold a reference.
    fileprivate var hasTrivialElements: Bool { _isPOD(Element.self) || Element.self == String.self }
}
