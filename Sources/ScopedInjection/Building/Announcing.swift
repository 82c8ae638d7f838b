import Synchronization

/// Announces builds in progress where their values will probably be kept, so that other threads wait instead of building
/// the same value.
enum Announcing {
    /// Announces a build; if another build of the same value is there or further in, returns that instead, retained.
    static func announce(_ build: Build, _ plan: borrowing Plan, ruledOut: [Build]) -> Build? {
        build.place = plan.place
        let asking = build.asking
        guard let handle = plan.placeHandle else { return add(build, to: asking, nil, unless: ruledOut) }
        return asking.pointee.lines.whileReading {
            let place = handle._withUnsafeGuaranteedRef { $0.node }
            var at = asking
            while at != place {
                if let other = at.pointee.announcing.withLock({ find(build, at, ruledOut) }) { return other }
                guard let next = at.next else { return nil }
                at = next
            }
            return add(build, to: at, handle, unless: ruledOut)
        }
    }

    private static func add(
        _ build: Build,
        to node: NodePointer,
        _ handle: Unmanaged<Handle>?,
        unless ruledOut: [Build]? = nil
    ) -> Build? {
        build.notePlace(node)
        return node.pointee.announcing.withLock {
            if let ruledOut, let other = find(build, node, ruledOut) { return other }
            let last = node.pointee.builds.map { Unmanaged<Build>.fromOpaque($0.toOpaque()) }
            build.announcedKeys = build.key.hashBit | (last?._withUnsafeGuaranteedRef { $0.announcedKeys } ?? 0)
            build.nextAnnounced = node.pointee.builds
            build.announcedAt = handle?.retain()
            build.isAnnounced = true
            node.pointee.builds = .passUnretained(build)
            return nil
        }
    }

    /// Another build of the same value that is announced in a node; the caller holds the node's leaf.
    private static func find(_ build: Build, _ node: NodePointer, _ ruledOut: [Build]) -> Build? {
        var at = node.pointee.builds
        while let other = at.map({ Unmanaged<Build>.fromOpaque($0.toOpaque()) }) {
            if other._withUnsafeGuaranteedRef({ $0.announcedKeys }) & build.key.hashBit == 0 { return nil }
            let (isSame, next) = other._withUnsafeGuaranteedRef {
                ($0.key == build.key && $0.decision == build.decision, $0.nextAnnounced)
            }
            if isSame {
                let other = other.takeUnretainedValue()
                if !ruledOut.contains(where: { $0 === other }) {
                    finishRetaining()
                    return other
                }
            }
            at = next
        }
        return nil
    }

    /// Moves the announcement of a build that has read what a scope further in decides; the caller holds no line.
    static func followInputs(_ build: Build) {
        guard build.nearest < build.place, build.isAnnounced else { return }
        withdraw(build)
        let node = build.asking
        let level = build.nearest
        let handle = level == 0 ? nil : node.whileReading { node.outwards(level)?.anyHandle }
        build.place = handle == nil ? 0 : level
        withNode(handle, node) { place in
            if let place { _ = add(build, to: place, handle) }
        }
        build.wakeWaiting()
    }

    /// Withdraws an announcement; the caller holds no line.
    static func withdraw(_ build: Build) {
        guard build.isAnnounced else { return }
        let handle = build.announcedAt
        withNode(handle, build.asking) { node in
            node?.pointee.announcing.withLock { if let node { remove(build, from: node) } }
        }
        build.isAnnounced = false
        build.announcedAt = nil
        handle?.release()
    }

    private static func remove(_ build: Build, from place: NodePointer) {
        let mine = Unmanaged<AnyObject>.passUnretained(build).toOpaque()
        var before: Build?
        var at = place.pointee.builds
        while let other = at, other.toOpaque() != mine {
            before = unsafeDowncast(other.takeUnretainedValue(), to: Build.self)
            at = before?.nextAnnounced
        }
        if let before { before.nextAnnounced = build.nextAnnounced } else { place.pointee.builds = build.nextAnnounced }
        build.nextAnnounced = nil
    }

    /// Calls a function with the node of a handle, which the line keeps alive, or with the asking node.
    @inline(__always)
    private static func withNode<Result>(
        _ handle: Unmanaged<Handle>?,
        _ asking: NodePointer,
        _ body: (NodePointer?) -> Result
    ) -> Result {
        guard let handle else { return body(asking) }
        return asking.pointee.lines.whileReading { body(handle._withUnsafeGuaranteedRef { $0.node }) }
    }
}
