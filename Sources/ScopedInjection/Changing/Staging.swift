/// The changes of an update: a child of the changed scope, in which they are made.
///
/// What depends on them is built there, as in any child, and what does not is kept further out. One step moves all of it into the
/// changed scope.
struct Staging {
    private let changed: EnvironmentScope
    let scope: EnvironmentScope
    private let others = OtherChanges()
    /// When it was last looked at what has to be built, and how often.
    private var seen: (stamp: UInt64, keptValues: UInt32) = (0, 0)
    private var passes = 0
    /// Whether others have changed the same.
    private var isInConflict = false

    private var app: NodePointer { changed.node }
    private var node: NodePointer { scope.node }
    private var now: (UInt64, UInt32) { (node.stamp, app.pointee.keptValues) }

    init(of changed: EnvironmentScope) {
        self.changed = changed
        let app = changed.node
        let link = Links.ownLink(to: app, Lines.shared.ofThread())
        scope = EnvironmentScope(name: changed.name, link: link, isWatched: app.isWatched)
        let lines = app.startWriting()
        app.begin(others)
        scope.node.pointee.flags.insert(.staging)
        app.finishWriting(lines)
    }

    // MARK: Building

    /// Builds what is named, and what the changed scope keeps and would not be given with the changes; returns both.
    mutating func build() throws(ScopeError) -> [ValueKey] {
        passes += 1
        var keys: [ValueKey] = []
        node.inspect {
            seen = now
            keys = (node.extras?.named ?? []) + findConcerned()
        }
        var (failed, failures): (Set<ValueKey>, [ScopeError]) = ([], [])
        for key in keys where failed.isEmpty || !isBuilt(key, from: failed) {
            for error in scope.build([key]) {
                failed.formUnion([key, error.subject ?? key])
                failures.append(error)
            }
        }
        try ScopeError.throwAll(failures)
        return keys
    }

    /// Whether the value is one of some that have failed, or the changed scope has built it from one.
    private func isBuilt(_ key: ValueKey, from failed: Set<ValueKey>) -> Bool {
        let kept = { app.slot(key.address)?.pointee.cell?.kept }
        return failed.contains(key)
            || app.inspect { kept()?.inputs.contains { failed.contains(.at($0.key)) } == true }
    }

    /// What the changed scope keeps and would not be given with the changes; the caller holds a line.
    private func findConcerned() -> [ValueKey] {
        if node.pointee.decides == Mask.pinned { return [] }
        return app.keys { slot in
            // What stays is found, and so is not built anew unless it is named; what is for the scope alone is left to the next read.
            guard let key = slot.key, let kept = slot.cell?.kept, !kept.isPinned,
                case .unbuilt = Look.find(key, from: node)
            else { return false }
            return Look.isCurrent(kept, of: key, in: app)
        }
    }

    // MARK: Ending

    /// Lets the changed scope take over what is here, in one step; returns what has to end, or nil if something has to be built first.
    ///
    /// - Parameter inTasks: Whether all that may end at once ends in tasks, for a caller that returns at a limit.
    mutating func end(inTasks: Bool = false) throws(ScopeError) -> [Resource]? {
        var garbage = Garbage()
        let lines = app.startWriting()
        let isTold = app.isWatched || app.isObservedNow
        let told = isTold ? changes.map { (key: $0, provider: node.slot($0.address)?.pointee.provider) } : []
        isInConflict = !others.keys.isDisjoint(with: changes)
        let isClosed = app.pointee.flags.refuseCleanups && node.pointee.cleanups != nil
        let isReady = isInConflict || isClosed || isReady(&garbage)
        let isMade = isReady && !isInConflict && !isClosed
        var staying = isMade && isTold ? findStaying(isUpToDate: true) : []
        if isMade { takeOver(&garbage) }
        if !staying.isEmpty { staying.formIntersection(findStaying(isUpToDate: false)) }
        app.letGo(&garbage, usedBy: .furtherIn)
        let ends = garbage.resources
        app.finishWriting(lines)
        if isMade, isTold { tell(of: told, staying) }
        garbage.letGo(of: changed, inTasks: inTasks)
        if isInConflict { throw .updateInConflict(in: changed) }
        if isClosed { throw .updateTooLate(in: changed) }
        return isMade ? ends : nil
    }

    /// Whether nothing has to be built first; what is out of date is let go of, and, after a few times, left to the next read.
    private func isReady(_ garbage: inout Garbage) -> Bool {
        let isStale =
            node.pointee.keptValues > 0
            && node.takeKept(&garbage) { $1.isPinned || !Look.isCurrent($1, of: $0.address, in: node) }
        return passes > 3 || now == seen || !isStale && findConcerned().isEmpty
    }

    private func tell(of changes: [(key: ValueKey, provider: Borrowed<Provider>?)], _ staying: Set<ValueKey>) {
        for (key, provider) in changes where provider != Provider.renewal {
            if provider == Provider.removal {
                changed.watch?.tellOfRemoval(key, from: changed)
            } else {
                changed.tellOfSet(key)
            }
        }
        let names = (changes: changes.map(\.key.name).sorted(), staying: staying.map(\.name).sorted())
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
        for key in changes { move(key, &garbage) }
        // The stamps that kept values have were sums of both clocks.
        app.pointee.clock &+= node.pointee.clock &+ 1
        if node.pointee.keptValues > 0 { moveKept(&garbage) }
        app.takeKept(&garbage) { !Look.isCurrent($1, of: $0.address, in: app) }
        app.markTidied()
        moveResources()
        if let observers = node.extras?.observers, !observers.isEmpty {
            app.makeExtras().observers += observers
            app.pointee.flags.insert(.observed)
            node.extras?.observers = []
        }
        app.end(others)
        node.pointee.flags.remove(.staging)
        node.countDecisions()
        node.countChange()
    }

    /// Moves what the scope decides on.
    private func move(_ key: ValueKey, _ garbage: inout Garbage) {
        guard let slot = node.slot(key.address) else { return }
        _ = app.noteChange(of: key)
        let target = app.makeSlot(key.address)
        let provider = slot.pointee.provider
        slot.pointee.provider = nil
        if let provider, provider == Provider.renewal {
            garbage.add(provider.take())
            if target.pointee.setCell == nil { garbage.takeCell(of: target, of: app, .discarded) }
            return
        }
        garbage.empty(target, of: app)
        if let provider, provider == Provider.removal {
            garbage.add(provider.take())
            return app.countRemoval()
        }
        target.pointee.provider = provider
        if let cell = slot.pointee.setCell { (target.pointee.cell, slot.pointee.cell) = (cell, nil) }
        app.pointee.decides |= key.bit
    }

    private func moveKept(_ garbage: inout Garbage) {
        node.forEachSlot { slot in
            guard let key = slot.pointee.key, let cell = slot.pointee.cell else { return }
            let target = app.makeSlot(key)
            if let kept = target.pointee.cell?.kept {
                garbage.takeCell(of: target, of: app, Look.departure(of: kept, .at(key), in: app))
            }
            (target.pointee.cell, slot.pointee.cell) = (cell, nil)
            app.pointee.keptValues &+= 1
        }
    }

    /// Moves what has cleanups, which have their turns before those that are there.
    private func moveResources() {
        var oldest = node.pointee.cleanups
        while let older = oldest?.older { oldest = older }
        while let resource = oldest {
            oldest = resource.newer
            app.add(node.remove(resource), isNext: resource.value == nil)
        }
    }

    /// Drops the changes, after an error; whether the closure is called again, and what it has registered is dropped too.
    func drop(_ attempts: inout Int) -> Bool {
        var garbage = Garbage()
        let lines = app.startWriting()
        app.end(others)
        if node.pointee.keptValues > 0 { attempts += 1 }
        let isRepeated = isInConflict && attempts < 4
        var next = isRepeated ? node.pointee.cleanups : nil
        while let resource = next {
            next = resource.older
            if resource.nextTitle.value == nil { garbage.add(node.remove(resource) as AnyObject) }
        }
        app.finishWriting(lines)
        garbage.letGo(of: scope)
        return isRepeated
    }
}

/// What changes do in the scope of an update; the caller has called `startWriting`.
extension UnsafeMutablePointer where Pointee == Node {
    /// What a provider or a decoration goes over: what the scope has, or else what the scope has that is changed.
    func base(of slot: UnsafeMutablePointer<Slot>) -> Slot {
        let isOwn = slot.pointee.decides && slot.pointee.provider != Provider.renewal
        guard isStaging, !isOwn, let key = slot.pointee.key else { return slot.pointee }
        return next?.slot(key)?.pointee ?? Slot()
    }

    /// Notes the values that an update has named, which are built anew if the changed scope keeps them.
    func note(_ renewed: [ValueKey]) {
        if renewed.isEmpty { return }
        for key in renewed {
            Changing.change(key, in: self) { slot, _, _ in
                guard !slot.pointee.decides, let app = next, let kept = app.slot(key.address)?.pointee.cell?.kept,
                    Look.isCurrent(kept, of: key.address, in: app)
                else { return false }
                slot.pointee.provider = Provider.renewal.retain()
                return true
            }
        }
        let lines = startWriting()
        makeExtras().named += renewed
        finishWriting(lines)
    }

    /// Removes a value here, and from the changed scope once the update is made.
    func stageRemoval(
        of key: ValueKey,
        _ slot: UnsafeMutablePointer<Slot>,
        _ garbage: inout Garbage,
        _ taken: (Cell) -> Void
    ) -> Bool {
        if case .cell(let cell, _, let level) = Look.find(key.address, from: self), level <= 1 { taken(cell) }
        garbage.empty(slot, of: self)
        guard let former = next?.slot(key.address)?.pointee, !former.isEmpty else { return true }
        slot.pointee.provider = (former.decides ? Provider.removal : Provider.renewal).retain()
        return true
    }
}
