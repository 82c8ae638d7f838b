/// The lists of the resources of a node; the caller has called `startWriting`, or nobody else can reach the node.
extension UnsafeMutablePointer where Pointee == Node {
    /// Adds a resource of the scope, whose turn comes before those that are there.
    ///
    /// - Parameter isNext: Whether it has its turn next in a closing that has begun, and not after all that was there.
    /// - Returns: What is used again by it, though somebody waits for its end.
    @discardableResult
    func add(_ resource: Resource, isNext: Bool) -> [Resource] {
        let late = !isNext && pointee.flags.contains(.closing) ? makeExtras() : nil
        let first = late == nil ? pointee.cleanups : late?.late
        resource.older = first
        let new = Borrowed.retaining(resource)
        first?.with { $0.newer = new }
        if let late { late.late = new } else { pointee.cleanups = new }
        beginKeeping()
        return resource.uses.isEmpty ? [] : resource.beginUsing()
    }

    /// Takes a resource out of its list.
    func remove(_ this: Borrowed<Resource>) -> Resource {
        let (older, newer) = (this.older, this.newer)
        if pointee.cleanups == this {
            pointee.cleanups = older
        } else if newer == nil {
            extras?.late = older
        }
        newer?.with { $0.older = older }
        older?.with { $0.newer = newer }
        this.with { ($0.older, $0.newer) = (nil, nil) }
        if older == nil, newer == nil { endKeeping() }
        return this.take()
    }

    /// What is kept in the scope or further in, and was built from a resource; the caller has called `startWriting`.
    func holders(of resource: Resource) -> [ValueKey] {
        ([self] + keepersFurtherIn()).flatMap { node in
            sequence(first: node.pointee.cleanups) { $0?.older }.lazy.compactMap { $0?.object }
                .filter { $0.uses.contains { $0 === resource } }.compactMap(\.value)
        }
    }

    /// Gives what was kept during a closing its turns, if there is anything.
    func beginLateTurns() {
        guard let extras, let late = extras.late else { return }
        pointee.flags.insert(.closingLate)
        (pointee.cleanups, extras.late) = (late, nil)
    }
}
