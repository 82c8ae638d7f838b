/// One read: the node it looks from, and the builds that have to record it.
struct Reading: ~Copyable {
    /// The node of the scope that reads; alive as long as this value.
    let node: NodePointer
    let thread: ThreadState.Pointer
    /// Keeps the node alive if the caller does not.
    private let keeper: EnvironmentScope?

    // Through the builder's own scope, the read is `own`'s. Through a scope that it made below that, it is `own`'s from the
    // level of the builder's scope on. Through any other scope, it is `foreign`'s, from the first scope on that the
    // builder did not make. It is both where a builder reads through the scope of another one around it.

    /// The build whose builder reads through its own scope, or through a scope that it made below that.
    private var own: Build?
    /// The level of that build's asking scope.
    private var ownDistance: Int32 = 0
    /// The build whose builder reads through another scope.
    private var foreign: Build?
    /// The handle of that other scope, and its level.
    private var place: Handle?
    private var foreignDistance: Int32 = 0

    /// The innermost build that needs the read.
    var outer: Build? { thread.pointee.innermostBuild ?? own }

    /// The build within that one for which this thread reads, if it builds nothing itself.
    ///
    /// The builder may wait for the thread, or may have ended before it, so it only counts for a cycle.
    var within: Build? {
        guard let own, let foreign, thread.pointee.build == nil, foreign.reports(to: own) else { return nil }
        return foreign
    }

    /// Whether a build on another thread that should have recorded the read was over before it did: then that build's value
    /// does not depend on the read, and must not be given what the asking scope sees.
    ///
    /// A build on this thread that has recorded it runs again.
    func wasOvertaken() -> Bool {
        guard isRecorded, isOver(own) || isOver(foreign) else { return false }
        // On another thread the next read would be overtaken in each run again.
        for case let build? in [own, foreign] where build.thread == thread {  // fault: overtaken-elsewhere
            build.note(.overtaken)  // fault: overtaken-here
        }
        return true
    }

    private func isOver(_ build: Build?) -> Bool {
        guard let build, build.thread != thread else { return false }
        return !build.isBuilding
    }

    /// Whether the builder of a build reads through its own scope, or through one that it made below that.
    var isForAsker: Bool { own != nil }

    /// Whether a build has to record the read.
    @inline(__always)
    var isRecorded: Bool { own != nil || foreign != nil }

    /// Makes a read through a scope.
    ///
    /// - Throws: `parentReleased`, if the scope that a builder's scope stands for is gone.
    @inline(__always)
    static func through(_ scope: EnvironmentScope, _ key: ValueKey) throws(ScopeError) -> Reading {
        let thread = ThreadState.current
        if let node = scope.node, thread.pointee.build == nil, !node.pointee.isBuilderMade {
            return Reading(node, thread)
        }
        return try Reading(recorded: scope, thread, key)
    }

    /// Makes a read that no build has to record.
    @inline(__always)
    private init(_ node: NodePointer, _ thread: ThreadState.Pointer) {
        self.node = node
        self.thread = thread
        keeper = nil
    }

    @inline(never)
    private init(recorded scope: EnvironmentScope, _ thread: ThreadState.Pointer, _ key: ValueKey) throws(ScopeError) {
        self.thread = thread
        if let build = scope.build, thread.pointee.isRunning(build) {
            node = build.asking
            keeper = nil
            own = build
            return
        }
        let innermost = thread.pointee.innermostBuild
        if let build = scope.build {
            if build.isRunning(on: thread) {
                node = build.asking
                keeper = nil
                if innermost?.reports(to: build) != false { own = build }
                if let innermost, innermost !== build { refer(innermost, through: node) }
                return
            }
            guard let standing = build.standing, let node = standing.scope.node else {
                throw ScopeError.goneStandIn(key)
            }
            self.node = node
            keeper = standing.scope
            guard standing.isBuilding else {  // fault: view-of-made
                findBuilds(innermost)
                return
            }
            own = build
            if let innermost, innermost !== build { refer(innermost, through: node) }
            return
        }
        let target = scope.node == nil ? EnvironmentScope.global : scope
        node = target.node.unsafelyUnwrapped
        keeper = target
        findBuilds(innermost)
    }

    /// Finds the builds that have to record a read through a scope that is not given to a builder now.
    ///
    /// A value in a scope that the builder itself made is no input; a value outside of those scopes is. A thread that builds
    /// nothing reads for the builder that made the scope.
    private mutating func findBuilds(_ innermost: Build?) {
        guard innermost != nil || node.pointee.isBuilderMade else { return }
        var innermost = innermost
        var made = MadeScopes(from: keeper)
        /// The way up to the first scope that another builder made.
        var ofOther: MadeScopes?
        var here = made
        while let step = made.next() {
            let concerned = innermost ?? step.maker
            innermost = concerned
            let isOfOther = step.maker !== concerned || step.isPastOthers  // fault: past-others
            if isOfOther, ofOther == nil { ofOther = here }
            here = made
            guard let build = step.build else { continue }
            // One on another thread needs what is read here, as it does where nothing is built.
            let isNeeded = build.thread != thread || concerned.reports(to: build)  // fault: own-elsewhere
            if isNeeded { (own, ownDistance) = (build, made.count) }
            let isAlone = ofOther == nil && concerned === build
            if !isAlone { refer(concerned, past: ofOther ?? made) }  // fault: maker-within
            return
        }
        if let innermost { refer(innermost, past: ofOther ?? made) }  // fault: below-captured
    }

    /// Makes the build record the read as one through another scope, at a level counted from the reading one.
    private mutating func refer(_ build: Build, through node: NodePointer, _ distance: Int32 = 0) {
        (foreign, foreignDistance) = (build, distance)
        place = Links.handle(of: node, Lines.ofThread()).takeUnretainedValue()
    }

    /// Makes the build record the read as one through the scope outside of those that it made itself.
    private mutating func refer(_ build: Build, past made: MadeScopes) {
        if let node = made.scope?.node { refer(build, through: node, made.count) }
    }
}

// MARK: - Recording

extension Reading {
    /// Records a fact in the builds that have to record the read.
    ///
    /// - Parameter level: The level of the scope that decided, counted from the reading one.
    func record(
        _ fact: Input.Fact,
        _ key: UnsafeRawPointer,
        _ version: UInt64,
        past: UInt64 = 0,
        level: Int32,
        mask: UInt64 = 0,
        isPinned: Bool = false
    ) {
        var input = Input(fact: fact, level: level, key: key, version: version)
        input.past = past  // fault: past-recorded
        if let own, level >= ownDistance {  // fault: own-distance
            if level != Input.nowhere { input.level = level - ownDistance }
            own.record(input.seen(from: node, further: ownDistance), mask: mask, isPinned: isPinned)
        }
        if let foreign, let place, level >= foreignDistance {
            input.level = level == Input.nowhere ? level : level - foreignDistance  // fault: foreign-level
            input.place = .passRetained(place)
            foreign.record(input.seen(from: node, further: foreignDistance))  // fault: foreign-read
        }
    }

    /// Records that the decision to skip is no longer there.
    ///
    /// It is an input, not the event `overtaken`: a build that reads for one around it would find the same at each run, until
    /// that one runs again.
    func recordLost() {
        for case let build? in [own, foreign] {
            build.record(Input(fact: .overtaken, level: Input.nowhere, key: build.key.address, version: 0))
        }
    }

    /// Whether a value at the level lies outside of the scopes that the recording builders themselves made.
    func isSeenFromOutside(_ level: Int32) -> Bool {
        (own == nil || level >= ownDistance) && (foreign == nil || level >= foreignDistance)
    }

    /// Whether one of the builds records what lies at the level.
    var isSeenByABuild: Bool { own != nil && ownDistance == 0 || foreign != nil && foreignDistance == 0 }

    /// Whether the scope that reads is the asking scope of a build that records the read.
    var isOfAskingScope: Bool { own != nil && ownDistance == 0 }  // fault: asking-scope

    /// Whether the builds have to record the inputs of a value that is kept at the level, because a builder made the
    /// scope.
    func needsInputs(ofKept level: Int32) -> Bool {
        isRecorded && (!isSeenFromOutside(level) || node.pointee.isBuilderMade)
    }

    /// Records inputs whose levels are counted from the reading scope.
    func record(_ inputs: [Input], _ collected: UInt64, isPinned leadsToAsker: Bool) {
        var (mask, isPinned) = (collected, leadsToAsker)
        if own != nil, ownDistance > 0, !inputs.contains(where: { $0.fact == .changing }) {  // fault: pinned-within
            // What only a scope that the builder made may see is not for the asking scope alone.
            isPinned = false
            mask &= ~Mask.pinned
        }
        for input in inputs {
            guard let other = input.place else {
                record(
                    input.fact,
                    input.key,
                    input.version,
                    past: input.past,
                    level: input.level,
                    mask: mask,
                    isPinned: isPinned
                )
                continue
            }
            for case let build? in [own, foreign] {
                var input = input
                input.place = other.retain()
                build.record(input)
            }
        }
    }

    /// Records a value that failed or is built at each read: its decision, and the inputs of its build.
    ///
    /// - Parameter isPinned: Whether it leads to the asking scope, so that no other one may see what was built from it.
    func record(unkept build: Build, _ plan: borrowing Plan, isPinned: Bool = false) {
        guard isRecorded else { return }
        record(decisionOf: plan, isPinned: isPinned)
        let (inputs, mask, leadsToAsker) = build.withShared { shared in
            (Array(shared.inputs.all), shared.inputs.mask, shared.inputs.isPinned)
        }
        record(inputs, mask, isPinned: leadsToAsker)
        if leadsToAsker, inputs.isEmpty, ownDistance == 0, let own { own.record(.changing(own.key), isPinned: true) }
    }

    /// Records which decision was carried out, and the aliases that led to it.
    func record(decisionOf plan: borrowing Plan, isPinned: Bool = false) {
        record(hopsOf: plan.trail)
        record(
            .decision,
            plan.key.address,
            plan.decision.version,
            past: plan.past,
            level: plan.decision.provider == nil ? Input.nowhere : plan.decision.level,
            mask: plan.key.base.bit | (isPinned ? Mask.pinned : 0),
            isPinned: isPinned
        )
    }
}

extension Input {
    /// The input as a scope further out sees it: an ordinary read, if the decision to skip lies within that distance.
    fileprivate func seen(from node: NodePointer, further distance: Int32) -> Input {
        guard past != 0, distance > 0 else { return self }
        let key = ValueKey.at(key)
        let line = node.startReading()
        defer { node.finishReading(line) }
        guard
            past == Input.own
                || node.chain.prefix(Int(distance)).contains(where: { $0.decision(on: key.passed.address) == past })
        else { return self }
        var input = self
        (input.past, input.key) = (0, key.base.address)
        return input
    }

    /// A fact that may differ at every look, read by the builder of a value.
    static func changing(_ key: ValueKey) -> Input {
        Input(fact: .changing, level: Input.nowhere, key: key.address, version: 0)
    }
}
