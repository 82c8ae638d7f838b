/// The references that were bound to a scope or one further in, by the object that they belong to, for when that object
/// is stored in the scope.
///
/// A reference is in it once, however often it is bound. It keeps neither objects nor references alive, and forgets
/// those that are gone when it has doubled.
struct BoundReferences: Sendable {
    /// A reference, and the object that it belongs to.
    struct Bound {
        let reference: any ScopedReference
        let owner: AnyObject

        /// - Parameter owner: Nil for a property of a value type; the reference may be a stored value itself then.
        init(_ reference: any ScopedReference, of owner: AnyObject?) {
            self.reference = reference
            self.owner = owner ?? reference
        }
    }

    /// An object, and its references by their identity.
    private struct Owned: Sendable {
        let owner: Weak
        var references: [ObjectIdentifier: Weak] = [:]
    }

    /// An object that is not kept alive; a class, so that copying a table does not touch the object.
    private final class Weak: @unchecked Sendable {
        // Sendable because only references, which are Sendable, are taken out of it, and of owners the identity.
        private(set) weak var object: AnyObject?
        init(_ object: AnyObject) { self.object = object }
    }

    /// The place of something that is gone; the marker tells it from what is added there anew.
    typealias Gone = (owner: ObjectIdentifier, reference: ObjectIdentifier, marker: AnyObject)

    private var owners: [ObjectIdentifier: Owned] = [:]
    private(set) var count = 0
    private var countAfterSweep = 0

    /// Whether there may be much to forget.
    var isToSweep: Bool { count > 2 * countAfterSweep + 16 }

    /// Adds a reference; the caller keeps it and its owner alive, so reading the weak ones releases nothing.
    mutating func insert(_ reference: any ScopedReference, of owner: AnyObject) {
        let identity = ObjectIdentifier(owner)
        if owners[identity]?.owner.object !== owner {
            count -= owners.updateValue(Owned(owner: Weak(owner)), forKey: identity)?.references.count ?? 0
        }
        let known = owners[identity]?.references.updateValue(Weak(reference), forKey: ObjectIdentifier(reference))
        if known == nil { count += 1 }
    }

    /// The references that belong to an object, which the caller keeps alive.
    ///
    /// Let go of them under no lock: this may be the last to hold them.
    func references(of owner: AnyObject) -> [any ScopedReference] {
        guard let known = owners[ObjectIdentifier(owner)], known.owner.object === owner else { return [] }
        return known.references.values.compactMap { $0.object as? any ScopedReference }
    }

    /// All of a copy that is not gone; call it under no lock.
    var alive: [Bound] {
        owners.values.flatMap { owned in
            owned.references.values.compactMap { weak in
                guard let reference = weak.object as? any ScopedReference else { return nil }
                return owned.owner.object.map { Bound(reference, of: $0) }
            }
        }
    }

    /// What an earlier copy shows to be gone; call it under no lock, because a weak reference that is read may be the
    /// last to let go of its object.
    var gone: [Gone] {
        owners.flatMap { ownerID, owned in
            let isOwnerGone = owned.owner.object == nil
            return owned.references.compactMap { id, weak in
                isOwnerGone || weak.object == nil ? (ownerID, id, weak) : nil
            }
        }
    }

    /// Forgets what is gone, but for what was added anew meanwhile.
    mutating func forget(_ gone: [Gone]) {
        for (ownerID, id, marker) in gone {
            guard owners[ownerID]?.references[id] === marker else { continue }  // fault: bound-meanwhile
            owners[ownerID]?.references[id] = nil
            count -= 1
            if owners[ownerID]?.references.isEmpty == true { owners[ownerID] = nil }
        }
        countAfterSweep = count
    }
}
