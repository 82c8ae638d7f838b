import Synchronization

/// Announces builds in progress where their values will probably be kept, so that other threads wait instead of building
/// the same value.
enum Announcing {
    /// Announces a build; if another build of the same value is there or further in, returns that instead, retained.
    static func announce(_ build: Build, _ plan: borrowing Plan, ruledOut: [Build]) -> Build? {
        build.place = plan.place
        build.provider = plan.provider.map { .passUnretained($0) }
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
    ///
    /// The hint says so from the same moment on. So whoever looks for the build finds it where it was, where it is, or
    /// learns that the guess has changed.
    static func followInputs(_ build: Build) {
        guard build.nearest < build.place, build.isAnnounced else { return }
        let node = build.asking
        let hint = Hint(build.inputs, isPinned: build.mask & Mask.pinned != 0)
        node.pointee.lines.lock(.every)
        let former = build.announcedAt
        if let place = former?._withUnsafeGuaranteedRef({ $0.node }) { remove(build, from: place) }
        let place = node.outwards(build.nearest)
        let handle = build.nearest == 0 ? nil : place?.anyHandle
        build.place = handle == nil ? 0 : build.nearest
        _ = add(build, to: handle == nil ? node : place ?? node, handle)
        let formerHint = exchangeHint(of: build, hint)
        node.finishWriting(.every)
        former?.release()
        formerHint?.release()
        build.wakeWaiting()
    }

    private static func exchangeHint(of build: Build, _ hint: Hint) -> Unmanaged<Hint>? {
        if let provider = build.provider { return provider._withUnsafeGuaranteedRef { $0.hint.exchange(hint) } }
        return build.key.exchangeHint(hint)
    }

    /// Withdraws an announcement; the caller holds no line.
    static func withdraw(_ build: Build) {
        guard build.isAnnounced else { return }
        let handle = build.announcedAt
        if let handle {
            build.asking.whileReading {
                if let node = handle._withUnsafeGuaranteedRef({ $0.node }) { remove(build, from: node) }
            }
        } else {
            remove(build, from: build.asking)
        }
        build.isAnnounced = false
        build.announcedAt = nil
        handle?.release()
    }

    private static func remove(_ build: Build, from node: NodePointer) {
        let mine = Unmanaged<AnyObject>.passUnretained(build).toOpaque()
        node.pointee.announcing.withLock {
            var before: Build?
            var at = node.pointee.builds
            while let other = at, other.toOpaque() != mine {
                before = unsafeDowncast(other.takeUnretainedValue(), to: Build.self)
                at = before?.nextAnnounced
            }
            if let before {
                before.nextAnnounced = build.nextAnnounced
            } else {
                node.pointee.builds = build.nextAnnounced
            }
            build.nextAnnounced = nil
        }
    }
}
