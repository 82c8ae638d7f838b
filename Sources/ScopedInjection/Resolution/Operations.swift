import Synchronization

/// The public members, for every way to name a value.
extension EnvironmentScope {
    @inline(__always)
    func set<Value>(_ newValue: Value, for key: TypedKey<Value>) {
        if let node, ThreadState.current.pointee.build == nil, !node.pointee.isBuilderMade {  // fault: set-elsewhere
            let stored = Changing.set(newValue, for: key.key, in: node)
            if node.pointee.rare.load(ordering: .acquiring) != nil { noteStored(newValue, stored) }
        } else {
            changeable("Setting \(key.key.name)").setInBuilder(newValue, for: key)
        }
    }

    @inline(never)
    private func setInBuilder<Value>(_ newValue: Value, for key: TypedKey<Value>) {
        recordAliases(of: key.key)
        if let node { noteStored(newValue, Changing.set(newValue, for: key.key, in: node)) }
    }

    func valueIfAny<Value>(of key: TypedKey<Value>) throws(ScopeError) -> Value? {
        do throws(ScopeError) {
            return try value(of: key)
        } catch {
            if error.code == .missingValue, error.path.isEmpty { return nil }
            throw error
        }
    }

    /// The value that the scope itself holds; nil for a builder's scope while it builds, which is the same for every
    /// asker.
    func localValue<Value>(of key: TypedKey<Value>) -> Value? {
        if let build, build.isBuilding { return nil }  // fault: local-value
        guard let scope = target, let node = scope.node else { return nil }
        scope.recordAliases(of: key.key)
        let isInput = noteAsked(for: key.key)
        let line = node.startReading()
        var look = Look()
        var trail = Trail(key.key, past: 0)
        var value: Value?
        var version: UInt64 = 0
        if case .cell(let cell, 0) = look.follow(&trail, from: node) {
            value = cell.value(as: Value.self)
            version = cell.version
            if isInput { cell.noteInput() }  // fault: held-noted
        }
        node.finishReading(line)
        if version != 0 { scope.noteReadOfOwn(key.key) }
        for hop in trail.hops { recordAnswer(.decision, of: hop.key, hop.version, level: hop.level) }
        recordAnswer(.held, of: trail.key, version)
        return value
    }

    /// The value past what the scope itself has; in a builder, past the scope that provided it.
    func inherited<Value>(of key: TypedKey<Value>) throws(ScopeError) -> Value {
        while true {
            let reading = try Reading.through(self, key.key)
            let inherited: ValueKey
            let past: UInt64
            if let build, build.isBuilding {
                past = build.decision
                // The key's own builder has no decision to skip.
                if past == Input.byDefault { return try value(of: key) }
                let own = build.key.base
                inherited = (reading.isGiven(for: key.key, build) ? own : key.key).inherited(by: own)
            } else {
                (inherited, past) = (key.key.inherited(by: key.key), Input.own)
            }
            reading.noteRead(of: inherited, past: past)
            do throws(ScopeError) {
                let value = try Resolution.value(of: inherited.typed(as: Value.self), past: past, reading)
                if !reading.wasOvertaken() { return value }  // fault: inherited-overtaken
            } catch {
                if !reading.wasOvertaken() { throw told(error, reading) }
            }
        }
    }

    func validate(_ keys: [ValueKey]) throws(ScopeError) {
        var failures: [ScopeError] = []
        for key in keys {
            do throws(ScopeError) {
                _ = try key.anyValue(in: self)
            } catch {
                failures.append(error)  // fault: all-failures
            }
        }
        try ScopeError.throwAll(failures)
    }

    /// The keys that are provided here and further out, by name.
    var providedKeys: [ValueKey] {
        guard let node else { return [] }
        let line = node.startReading()
        defer { node.finishReading(line) }
        var keys: [ValueKey] = []
        for here in node.chain {
            here.forEachSlot { slot in
                guard slot.pointee.provider != nil, let address = slot.pointee.key else { return }
                let key = ValueKey.at(address)
                if !keys.contains(where: { $0 == key }) { keys.append(key) }
            }
        }
        return keys.sorted { $0.name < $1.name }
    }

    func provide<Value>(
        _ key: TypedKey<Value>,
        _ fileID: StaticString,
        _ line: UInt,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        let scope = changeable("Providing a builder for \(key.key.name)")
        guard let node = scope.node else { return }
        scope.recordAliases(of: key.key)
        let provided = Changing.provide(key.key, in: node, isForwarded: true) { version in
            Builder(version: version, for: key.key, fileID: fileID, line: line, make)
        }
        scope.watchOfChildren?.noteSet(provided, in: scope)
    }

    func removeValue<Value>(of key: TypedKey<Value>) -> Value? {
        let scope = changeable("Removing the value for \(key.key.name)")
        var value: Value?
        scope.recordAliases(of: key.key)
        guard let node = scope.node else { return nil }
        let removed = Changing.remove(key.key, in: node) { value = $0.value(as: Value.self) }
        scope.watchOfChildren?.noteRemoved(removed, from: scope)
        return value
    }

    func alias<Value>(_ key: TypedKey<Value>, _ other: TypedKey<Value>, _ fileID: StaticString, _ line: UInt) {
        let scope = changeable("Declaring an alias")
        defer { withExtendedLifetime(scope) {} }
        guard let node = scope.node else { return }
        _ = Changing.provide(key.key, in: node, isForwarded: false) { version in
            Provider(version: version, for: key.key, forwardingTo: other.key, fileID: fileID, line: line)
        }
        Changing.endProgram(ifCircleFrom: key.key, in: node)
    }

    /// The scope to change: itself, or the global one for its proxy; a builder's scope ends the program.
    ///
    /// The change is recorded in the builds of this thread.
    ///
    /// - Parameter isChange: Whether what the scope says of values may change.
    func changeable(_ action: @autoclosure () -> String, isChange: Bool = true) -> EnvironmentScope {
        if isChange { Build.noteChange(ofScopeMadeBy: rare?.maker) }
        if node != nil { return self }
        guard let build else { return GlobalScope.current }
        ScopeError(
            .invalid,
            key: build.key,
            detail: """
                \(action()) through the scope that was given to the builder of \(build.key.name) is not possible: \
                it only resolves.
                """,
            advice: isChange
                ? "set values where the scope is made, or build them with a value of their own."
                : "do it where the scope is made."
        ).endProgram()
    }

    /// The parent, which is recorded if a builder asks.
    func parentForReader() -> EnvironmentScope? {
        let innermost = ThreadState.current.pointee.innermostBuild
        while true {
            let standing = build.map(\.standing) ?? target.map { ($0, false) }
            guard let (scope, isBuilding) = standing, let node = scope.node else { return nil }
            let asker = isBuilding ? build : nil
            // The builder that made the scope must not reveal its asking scope to other askers.
            let maker = node.link?.kind == .builder ? scope.buildInProgress : nil  // fault: asking-revealed
            // A build within another one, which asks that one's scope, has to record the answer too.
            let isOfOther = asker == nil || innermost !== asker  // fault: parent-within
            if isOfOther { scope.shareForAsker() }
            let (number, parent) = node.numberedParent
            assert(Pause.at(Pause.beforeRecording))
            asker?.recordParent(number)  // fault: parent-recorded
            if isOfOther { scope.recordAnswer(.parent, number) }  // fault: parent-answered
            // The link may be one of a build that is over, and the maker one further out.
            if let maker, let parent = parent?.node, parent == maker.asking {  // fault: parent-of-maker
                maker.recordParent(parent.numberedParent.number)
            }
            // On another thread the build may be over by now: then this is the scope that keeps the value.
            let isOvertaken = [asker, maker].contains { $0?.isBuilding == false }
            if !isOvertaken { return parent }  // fault: parent-overtaken
            for build in [innermost, maker] { build?.note(.overtaken) }  // fault: parent-again
        }
    }
}

extension Reading {
    /// Whether the builder of a build in progress, whose scope reads, was provided for this key, whatever it is stored under.
    fileprivate func isGiven(for asked: ValueKey, _ build: Build) -> Bool {
        let own = build.key.base.address
        let line = node.startReading()
        defer { node.finishReading(line) }
        let scope = node.chain.first { $0.decision(on: own) == build.decision }
        let provider = scope?.slot(own)?.pointee.provider
        return provider?._withUnsafeGuaranteedRef { $0.asked == asked } ?? false  // fault: inherited-name
    }
}

extension Build {
    /// Records in the builds of this thread that the builder changes a scope, unless the scope is one of its own.
    static func noteChange(ofScopeMadeBy maker: Build? = nil) {
        guard let innermost = ThreadState.current.pointee.innermostBuild else { return }
        for build in innermost.ancestry {
            if build === maker { return }  // fault: own-scope-changed
            // What an observer or a `deinit` changes is not the builder's change.
            if build.isOfObservers { return }  // fault: observer-changes
            build.note(.changedScope)  // fault: builder-changes
        }
    }

    /// Records the parent of the asking scope, which pins the value.
    fileprivate func recordParent(_ number: UInt64) {
        let input = Input(fact: .parent, level: 0, key: key.address, version: number)
        record(input, mask: Mask.pinned, isPinned: true)  // fault: parent-input
    }
}

extension ScopeError {
    /// Throws the only error, or one that has all of them.
    static func throwAll(_ failures: [ScopeError]) throws(ScopeError) {
        guard let first = failures.first else { return }
        if failures.count == 1 { throw first }
        var error = ScopeError(.invalid)
        error.fields.failures = failures
        throw error
    }

    /// The error of a builder's scope that outlived the keeper.
    static func goneStandIn(_ key: ValueKey) -> ScopeError {
        ScopeError(
            .parentReleased,
            key: key,
            detail: "the value that was built with this scope has outlived the scope that kept it",
            advice: "hold that scope for as long as the value is used, or read what the value needs while it is built."
        )
    }
}
