import Synchronization

/// Where builds in progress are announced, so that others wait instead of building the same.
enum Announcing {
    /// Guards what every build waits for.
    private static let waits = Guarded(Waits<Build>())

    /// Announces a build where its value will be kept, unless another of the same value is in progress there.
    static func announce(_ build: Build, _ plan: borrowing Plan, in node: NodePointer, ruledOut: [Build]) -> Build? {
        guard plan.key.lifetime != .transient else { return nil }
        let line = Lines.ofThread()
        let lines = node.pointee.lines
        lines.lock(line)
        defer { lines.unlock(line) }
        let handle = plan.placeHandle
        let found: NodePointer? = if let handle { handle._withUnsafeGuaranteedRef { $0.node } } else { node }
        guard let place = found else { return nil }
        return place.pointee.announcing.withLock {  // fault: announcing-lock
            add(build, plan, handle, to: place, ruledOut)
        }
    }

    private static func add(
        _ build: Build,
        _ plan: borrowing Plan,
        _ handle: Unmanaged<Handle>?,
        to place: NodePointer,
        _ ruledOut: [Build]
    ) -> Build? {
        var at = place.pointee.builds
        while let other = at {
            let known = unsafeDowncast(other.takeUnretainedValue(), to: Build.self)
            if known.key === plan.key, known.decision == plan.decision.version,  // fault: announced-decision
                !ruledOut.contains(where: { $0 === known })
            {
                return known
            }
            at = known.nextAnnounced
        }
        let ended = place.pointee.endedBuilds.load(ordering: .relaxed)
        build.mayBeThere = ended != plan.endedBuilds  // fault: ended-builds
        build.nextAnnounced = place.pointee.builds
        build.announcedAt = handle?.retain()
        build.isAnnounced = true
        place.pointee.builds = .passRetained(build)  // fault: announced
        return nil
    }

    /// Takes back the announcement of a build at the asking scope; while that is written.
    @inline(__always)
    static func withdraw(_ build: Build, whileWriting node: NodePointer) {
        guard build.isAnnounced, build.announcedAt == nil else { return }
        node.pointee.announcing.withLock { remove(build, from: node) }
        build.isAnnounced = false
        Unmanaged.passUnretained(build).release()
    }

    /// Takes back the announcement of a build; under no line.
    static func withdraw(_ build: Build, in node: NodePointer) {
        guard build.isAnnounced else { return }
        let line = Lines.ofThread()
        let lines = node.pointee.lines
        lines.lock(line)
        let handle = build.announcedAt
        let place: NodePointer? = if let handle { handle._withUnsafeGuaranteedRef { $0.node } } else { node }
        if let place { place.pointee.announcing.withLock { remove(build, from: place) } }  // fault: withdrawn
        lines.unlock(line)
        build.isAnnounced = false
        build.announcedAt = nil
        handle?.release()
        Unmanaged.passUnretained(build).release()
    }

    private static func remove(_ build: Build, from place: NodePointer) {
        place.pointee.endedBuilds.wrappingAdd(1, ordering: .relaxed)
        let mine = Unmanaged<AnyObject>.passUnretained(build)
        guard place.pointee.builds?.toOpaque() != mine.toOpaque() else {
            place.pointee.builds = build.nextAnnounced
            build.nextAnnounced = nil
            return
        }
        var at = place.pointee.builds
        while let other = at {
            let known = unsafeDowncast(other.takeUnretainedValue(), to: Build.self)
            if known.nextAnnounced?.toOpaque() == mine.toOpaque() {
                known.nextAnnounced = build.nextAnnounced
                build.nextAnnounced = nil
                return
            }
            at = known.nextAnnounced
        }
    }

    /// How waiting for a build ended.
    enum Outcome {
        /// It is over; nil where it gave a value, or was of another value than the one that is needed.
        case over(ScopeError?)
        /// It has read something that is different for who waits, or waits for who waits.
        case ruledOut
    }

    /// Waits until a build is over, or turns out to be for others only.
    static func wait(for other: Build, in node: NodePointer, within waiter: Build?) -> Outcome {
        while true {
            let signal = Signal()
            // Looked at first: once the build is over and everybody has let go of it, it may be used again.
            let isOfSameScope = other.asking == node
            let progress = other.notify(signal)
            guard isOfSameScope || isSeen(other, from: node) else { return .ruledOut }  // fault: ruled-out
            if case .over(let error) = progress { return .over(error) }
            guard let waiter else {
                signal.wait()
                continue
            }
            guard waits.withLock({ $0.add(waiter, for: other) }) else { return .ruledOut }
            signal.wait()
            waits.withLock { $0.remove(waiter, for: other) }
        }
    }

    /// Whether all that a build has read is what a read in the scope would give too.
    private static func isSeen(_ build: Build, from node: NodePointer) -> Bool {
        let line = node.startReading()
        defer { node.finishReading(line) }
        return build.withShared { shared in
            if shared.inputs.isPinned { return false }
            var look = Look()
            return look.nearest(of: shared.inputs.all, from: node) != nil
        }
    }
}

extension Build: Awaitable {
    /// This build and those that need it, innermost first.
    var ancestry: some Sequence<Build> { sequence(first: self, next: \.outer) }

    func isWithin(_ other: Build) -> Bool { ancestry.contains { $0 === other } }
}
