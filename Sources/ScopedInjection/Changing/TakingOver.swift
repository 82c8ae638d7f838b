import Synchronization

/// How an update ends: its changes are made in one step, or dropped.
extension Staging {
    /// Lets the changed scope take over what is here, in one step; returns what has to end.
    ///
    /// - Parameter inTasks: Whether all that may end at once ends in tasks, for a caller that returns at a limit.
    func end(inTasks: Bool = false) throws(ScopeError) -> [Resource] {
        var garbage = Garbage()
        let lines = app.startWriting()
        let isClosed = app.pointee.flags.refuseCleanups && node.pointee.cleanups != nil
        let conflict = isClosed ? nil : conflict
        let isTold = app.isWatched || app.isObservedNow
        let told = isTold ? changes : []
        if conflict == nil, !isClosed {
            var staying = isTold ? findStaying(isUpToDate: true) : []
            takeOver(&garbage)
            if !staying.isEmpty { staying.formIntersection(findStaying(isUpToDate: false)) }
            app.letGo(&garbage, usedBy: .furtherIn)
            garbage.noteHolders(in: app)
            let ends = garbage.resources
            app.finishWriting(lines)
            if isTold { tell(of: told, staying) }
            garbage.letGo(of: changed, inTasks: inTasks)
            return ends
        }
        app.finishWriting(lines)
        throw conflict.map { .updateInConflict(in: changed, $0) } ?? .updateTooLate(in: changed)
    }

    /// Drops the changes, after an error; what was built ends as after a change of the scope, and is returned.
    func drop() -> [Resource] {
        // Only who runs below the scope of the update may have been given it.
        changed.letGo(node.isReferredTo ? .furtherIn : nil) { garbage in
            node.takeKept(.all, &garbage, .unmade)
            while let resource = node.pointee.cleanups { garbage.add(node.remove(resource)) }
            finish(&garbage)
            return garbage.resources
        }
    }

    /// What others have changed meanwhile that the update changes, or has read to build.
    private var conflict: ValueKey? {
        let all = changes + equal.keys
        if let key = all.first(where: { app.decision(on: $0.address) != former[$0.address] ?? 0 }) { return key }
        var found: ValueKey?
        node.forEachSlot { slot in
            guard found == nil, let key = slot.pointee.key, let kept = slot.pointee.cell?.kept, !kept.isPinned else {
                return
            }
            if kept.pointee.isOnce {
                // What has begun meanwhile stays.
                if !node.decides(on: key), app.slot(key)?.pointee.cell?.kept?.pointee.isOnce == true {
                    found = .at(key)
                }
            } else if !Look.isCurrent(kept, of: key, in: node) {
                found = Look.departure(of: kept, .at(key), in: node).input ?? .at(key)
            }
        }
        return found
    }

    private func tell(of changes: [ValueKey], _ staying: Set<ValueKey>) {
        for key in changes where renewed[key] == nil { changed.tellOfSet(key) }
        let names = (changes: changes.map(\.name).sorted(), staying: staying.map(\.name).sorted())
        changed.report(ScopeEvent(.updated, in: changed, names: names.changes, saying: .staying(names.staying)))
    }

    /// What stays in the changed scope, and was built from what reads would find, or not; the caller holds a line.
    private func findStaying(isUpToDate: Bool) -> Set<ValueKey> {
        let staying = app.keys { slot in
            guard let kept = slot.cell?.kept, kept.pointee.isOnce else { return false }
            return (Look.check(kept.inputs, from: app) != nil) == isUpToDate
        }
        return Set(staying)
    }

    /// What is changed here; the caller holds a line.
    private var changes: [ValueKey] { node.keys { $0.decides } }

    private func takeOver(_ garbage: inout Garbage) {
        node.takeKept(.pinned, &garbage)
        for (key, cell) in equal where !node.decides(on: key.address) { takeOver(cell, key, &garbage) }
        for key in changes { takeOver(key, &garbage) }
        // The stamps that kept values have were sums of both clocks.
        app.pointee.clock &+= node.pointee.clock &+ 1
        node.forEachSlot { takeOver(keptIn: $0, &garbage) }
        app.takeKept(.outOfDate(), &garbage)
        app.markTidied()
        // They have their turns before those that are there.
        var oldest = node.pointee.cleanups
        while let older = oldest?.older { oldest = older }
        while let resource = oldest {
            oldest = resource.newer
            app.add(node.remove(resource), isNext: resource.value == nil)
        }
        if let observers = node.extras?.observers, !observers.isEmpty {
            app.makeExtras().observers += observers
            app.pointee.flags.insert(.observed)
            node.extras?.observers = []
        }
        finish(&garbage)
    }

    /// Lets the changed scope have an equal value as the same one.
    private func takeOver(_ cell: Cell, _ key: ValueKey, _ garbage: inout Garbage) {
        guard let target = app.slot(key.address), let old = target.pointee.setCell else { return }
        if old.isInput { cell.markInput() }
        garbage.empty(target, of: app)
        target.pointee.cell = cell
        equal[key] = nil
    }

    /// Moves what the scope decides on.
    private func takeOver(_ key: ValueKey, _ garbage: inout Garbage) {
        guard let slot = node.slot(key.address) else { return }
        let (target, provider) = (app.makeSlot(key.address), slot.pointee.provider)
        slot.pointee.provider = nil
        if renewed[key] != nil {
            garbage.add(provider?.take())
            return garbage.takeCell(of: target, of: app, .discarded)
        }
        garbage.empty(target, of: app)
        target.pointee.provider = provider
        if let cell = slot.pointee.setCell { (target.pointee.cell, slot.pointee.cell) = (cell, nil) }
        app.pointee.decides |= key.bit
    }

    /// Moves what the scope keeps.
    private func takeOver(keptIn slot: UnsafeMutablePointer<Slot>, _ garbage: inout Garbage) {
        guard let key = slot.pointee.key, let cell = slot.pointee.cell, let kept = cell.kept else { return }
        for (own, real) in renewed.values where own != real { kept.rename(own, to: real) }
        let target = app.makeSlot(key)
        if let kept = target.pointee.cell?.kept {
            garbage.takeCell(of: target, of: app, Look.departure(of: kept, .at(key), in: app))
        }
        (target.pointee.cell, slot.pointee.cell) = (cell, nil)
        app.pointee.hasKept = true
    }

    /// Leaves an empty child, which lies for good between the scope and those that were made below it.
    private func finish(_ garbage: inout Garbage) {
        for cell in equal.values { garbage.add(cell) }
        equal = [:]
        node.forEachSlot { garbage.empty($0, of: node) }
        node.pointee.flags.remove(.beginsForNext)
        node.extras?.changing = nil
        node.countDecisions()
        node.countChange()
        app.keepParts(with: scope, &garbage)
        Self.inProgress.subtract(1, ordering: .relaxed)
    }
}

extension Departure {
    /// The input that is another one.
    fileprivate var input: ValueKey? {
        switch self {
        case .changed(let input), .letGo(let input): input
        default: nil
        }
    }
}
