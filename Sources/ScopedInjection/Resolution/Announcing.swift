import Synchronization

/// Announces builds in progress, so that other threads wait instead of building the same value.
enum Announcing {
    /// Which build waits for which.
    private static let waits = Guarded(Waits<Build>())

    /// Announces a build where its value will probably be kept; if another build of the same value is there, returns
    /// that, for the caller to wait for and then to leave.
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
        let key = plan.announcedKey
        let last = place.pointee.builds.map { Unmanaged<Build>.fromOpaque($0.toOpaque()) }
        let announcedKeys = last?._withUnsafeGuaranteedRef { $0.announcedKeys } ?? 0
        var at = announcedKeys & key.hashBit == 0 ? nil : place.pointee.builds  // fault: announced-keys
        while let other = at {
            // Not counted, because the list is as long as the builders are nested.
            let other = Unmanaged<Build>.fromOpaque(other.toOpaque())
            let (isSame, next) = other._withUnsafeGuaranteedRef { known in
                (
                    known.decision == plan.decision.version  // fault: announced-decision
                        && known.announcedKey == key,
                    known.nextAnnounced
                )
            }
            if isSame {
                let known = other.takeUnretainedValue()
                if !ruledOut.contains(where: { $0 === known }) {
                    known.noteFound()
                    finishRetaining()
                    return known
                }
            }
            at = next
        }
        let ended = place.pointee.endedBuilds.load(ordering: .relaxed)
        build.mayBeThere = ended != plan.endedBuilds  // fault: ended-builds
        build.nextAnnounced = place.pointee.builds
        build.announcedAt = handle?.retain()
        build.isAnnounced = true
        build.announcedKey = key
        build.announcedKeys = announcedKeys | key.hashBit
        place.pointee.builds = .passUnretained(build)  // fault: announced
        return nil
    }

    /// Withdraws an announcement at the asking scope; the caller holds the lines of its node.
    @inline(__always)
    static func withdraw(_ build: Build, whileWriting node: NodePointer) {
        guard build.isAnnounced, build.announcedAt == nil else { return }
        node.pointee.announcing.withLock { remove(build, from: node) }
        build.isAnnounced = false
    }

    /// Withdraws an announcement; the caller holds no line.
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
    }

    private static func remove(_ build: Build, from place: NodePointer) {
        place.pointee.endedBuilds.wrappingAdd(1, ordering: .relaxed)
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

    /// Lets those look again whether they need them who wait for the builds that are announced in a node.
    static func wakeWaiting(at node: NodePointer) {
        var builds: [Build] = []
        node.whileReading {
            node.pointee.announcing.withLock {
                defer { finishRetaining() }
                var at = node.pointee.builds
                while let build = at.map({ unsafeDowncast($0.takeUnretainedValue(), to: Build.self) }) {
                    builds.append(build)
                    at = build.nextAnnounced
                }
            }
        }
        for build in builds { build.wakeWaiting() }
    }

    /// How a wait for a build ended.
    enum Outcome {
        /// The build is over; nil if it gave a value, or has to run again.
        case over(ScopeError?)
        /// The build has read an input that differs for the waiting read, is only for its own asking scope, or waits for that read
        /// itself; or something else decides on the read now.
        case ruledOut
    }

    /// Waits until a build is over, or is ruled out.
    static func wait(for other: Build, _ plan: borrowing Plan, _ reading: borrowing Reading) -> Outcome {
        let node = reading.node
        while true {
            let signal = Signal()
            // Read first: once the build is over and nothing else refers to it, it may be used again.
            let isOfSameScope = other.asking == node
            let outcome = other.notify(signal)
            // An error is news only if what it came of is still so.
            let isFailed = if case .over(.some) = outcome { true } else { false }
            guard
                isOfSameScope && !isFailed  // fault: ruled-out
                    || isSeen(other, from: node, isOfSameScope)
            else { return .ruledOut }
            if let outcome { return outcome }
            let isNeeded = node.whileReading { reading.decision(asIn: plan) != nil }  // fault: still-needed
            guard isNeeded else { return .ruledOut }
            assert(Pause.at(Pause.beforeWaiting))
            // Made and let go of without the lock, because no build may be let go of under it.
            let waiting = Waiters(of: reading.outer, reading.within).builds  // fault: waits-within
            if waiting.isEmpty {
                signal.wait()
                continue
            }
            guard let wait = waits.withLock({ $0.add(waiting, for: other) }) else { return .ruledOut }
            signal.wait()
            waits.withLock { $0.remove(wait) }
        }
    }

    /// Whether a read in the scope would see all inputs that the build has recorded.
    private static func isSeen(_ build: Build, from node: NodePointer, _ isOfSameScope: Bool) -> Bool {
        let line = node.startReading()
        defer { node.finishReading(line) }
        return build.withShared { shared in
            if shared.inputs.isPinned, !isOfSameScope { return false }  // fault: pinned-shared
            var look = Look()
            return look.nearest(of: shared.inputs.all, from: node) != nil
        }
    }
}

extension Build {
    /// This build and those that need it, innermost first, up to one that is over.
    var ancestry: some Sequence<Build> { sequence(first: self, next: \.outer) }

    /// Whether what this build reads concerns the other one, because no observer stands between them.
    func reports(to other: Build) -> Bool {
        ancestry.first { $0 === other || $0.isOfObservers } === other  // fault: observers-between
    }
}
