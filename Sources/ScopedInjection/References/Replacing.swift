/// Binds the references of instances to a scope.
extension EnvironmentScope {
    func replace(inAll instances: [Any], _ options: ReplaceOptions, isOwning: Bool = true) -> Int {
        var found: [(reference: any ScopedReference, owner: AnyObject?)] = []
        var walk = ReflectionWalk(instances, isNested: options.contains(.nested))
        while let (reference, owner) = walk.next() {
            found.append((reference, owner))
            if !options.contains(.recursive) { continue }
            do throws(ScopeError) { walk.enter(try reference.value(in: self)) } catch { error.endProgram(in: self) }
        }
        let owned = isOwning ? objectsInChain : [:]
        for (reference, owner) in found {
            // A scope that owns an object must not be owned by it; a reference may be a value itself.
            let isOwned = owned[ObjectIdentifier(owner ?? reference)] != nil
            reference.bind(to: self, isOwning: isOwning && !isOwned)
        }
        return found.count
    }

    /// The elements of an array count as instances.
    func validateReferences(inAll instances: [Any], _ options: ReplaceOptions) throws(ScopeError) {
        var failures: [ScopeError] = []
        var walk = ReflectionWalk(instances.flatMap { $0 as? [Any] ?? [$0] }, isNested: options.contains(.nested))
        while let (reference, _) = walk.next() {
            do throws(ScopeError) {
                let value = try reference.resolved(in: self)
                if options.contains(.recursive) { walk.enter(value) }
            } catch {
                failures.append(error.at(reference.location))
            }
        }
        try ScopeError.throwAll(failures)
    }

    /// The values that are set or kept here.
    var storedValues: [Any] { node.inspect { node.storedValues } }

    /// The objects that are values of the scope and its ancestors now.
    private var objectsInChain: [ObjectIdentifier: AnyObject] {
        let values = node.inspect { node.chain.flatMap { $0.storedValues } }
        var objects: [ObjectIdentifier: AnyObject] = [:]
        for object in values.compactMap({ object(in: $0) }) { objects[ObjectIdentifier(object)] = object }
        return objects
    }
}

/// The object that a value is, optional or not; nil for a value type.
private func object(in value: Any) -> AnyObject? {
    var value = value
    while let optional = value as? any OptionalValue {
        guard let wrapped = optional.wrapped else { return nil }
        value = wrapped
    }
    return type(of: value) is AnyClass ? value as AnyObject : nil
}

private protocol OptionalValue { var wrapped: Any? { get } }

extension Optional: OptionalValue {
    fileprivate var wrapped: Any? { map { $0 } }
}

extension UnsafeMutablePointer where Pointee == Node {
    fileprivate var storedValues: [Any] {
        var values: [Any] = []
        forEachSlot { if let cell = $0.pointee.cell { values.append(cell.anyValue) } }
        return values
    }
}
