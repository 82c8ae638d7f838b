/// What a builder asks of a scope besides its values: an input too, unless every asker is told the same.
extension EnvironmentScope {
    /// Records what the builder that runs on this thread was told of this scope, if that is not the builder's own.
    ///
    /// - Parameter key: The key of the value it asked about; nil if it asked about the scope.
    func recordAnswer(_ fact: Input.Fact, of key: ValueKey? = nil, _ version: UInt64 = 0, level: Int32 = 0) {
        guard let build = ThreadState.current.pointee.innermostBuild else { return }
        let key = key ?? build.key
        // Of a scope that is gone there is nothing to follow.
        guard let reading = try? Reading.through(self, key) else { return }
        reading.record(fact, key.address, version, level: level)  // fault: answer-recorded
    }

    /// Makes this scope shared before a builder looks at it, so that every change after the look moves the epoch.
    func shareForAsker() {
        guard ThreadState.current.pointee.build != nil, let scope = target, let node = scope.node else { return }
        _ = Links.handle(of: node, Lines.ofThread())
        withExtendedLifetime(scope) {}
    }

    /// Lets this scope count what it keeps from now on as a change, if a builder asks what it holds; returns whether the
    /// answer is an input.
    func noteAsked(for key: ValueKey) -> Bool {
        guard ThreadState.current.pointee.build != nil, let reading = try? Reading.through(self, key),
            reading.isSeenByABuild
        else { return false }
        let node = reading.node
        if node.whileReading({ node.pointee.flags.contains(.asked) }) { return true }
        let lines = node.startWriting()
        node.pointee.flags.insert(.asked)  // fault: asked-noted
        node.finishWriting(lines)
        return true
    }

    /// Records that a builder has looked at more than inputs can describe.
    ///
    /// If it looked through its own scope, only the asking scope sees its value.
    func recordOverview() {
        guard let build = buildInProgress else { return recordAnswer(.changing) }
        build.recordOverview()  // fault: seen-input
        let innermost = ThreadState.current.pointee.innermostBuild
        if innermost === build { return }
        // One on another thread may be within that one, and end before what it was told is recorded there.
        if let innermost, build.thread != innermost.thread {
            innermost.recordOverview()  // fault: overview-elsewhere
        }
        if innermost != nil { target?.recordAnswer(.changing) }  // fault: overview-within
        // A build within that one may have made the scope, and handed it to another thread.
        let maker = buildAbove?.maker
        if let maker, maker !== build { maker.record(.changing(maker.key)) }  // fault: overview-made
    }

    /// The names of this scope and its ancestors at one moment, which are recorded if a builder asks; nil if it is gone.
    func namesForReader() -> [String]? {
        guard let scope = target else { return nil }
        guard ThreadState.current.pointee.build != nil else { return scope.chainNames }
        while true {
            let chain = scope.chain
            let nodes = chain.compactMap(\.node)
            for scope in chain { scope.shareForAsker() }
            let seen = nodes[0].whileReading {
                nodes.elementsEqual(nodes[0].chain) ? (nodes.map(\.parentNumber), nodes[0].namesOfChain) : nil
            }
            // Otherwise a scope has moved since.
            guard let (numbers, names) = seen else { continue }
            for (scope, number) in zip(chain, numbers) { scope.recordAnswer(.parent, number) }
            return Self.display(names)
        }
    }

    /// An error as it is told to whoever reads through this scope.
    ///
    /// A builder may put it into a value that others are given, so it does not name the scopes that were searched for the
    /// asking one. The read that the builder runs for adds them.
    func told(_ error: ScopeError, _ reading: borrowing Reading) -> ScopeError {
        var error = error
        if reading.isForAsker {
            if !error.fields.isSearchRecorded { error.fields.searchedScopes = [] }  // fault: searched-revealed
        } else if !error.searchedScopes.isEmpty, !error.fields.isSearchRecorded,
            ThreadState.current.pointee.build != nil
        {
            assert(Pause.at(Pause.beforeRecording))
            // A builder may put them into a value, too. They are those of the moment that is recorded.
            let names = namesForReader()  // fault: searched-recorded
            error.fields.searchedScopes = names ?? []  // fault: searched-moved
        }
        return error
    }

    /// Records which value a change in this scope concerns, along the aliases, if a builder changes a scope that it made.
    func recordAliases(of key: ValueKey) {
        guard let node, node.pointee.isBuilderMade, let reading = try? Reading.through(self, key), reading.isRecorded
        else { return }
        var trail = Trail(key, past: 0)
        let line = node.startReading()
        let end = trail.followAliases(in: node)
        let level = node.unaliasedLevel(of: trail.key.address) ?? Input.nowhere
        node.finishReading(line)
        reading.record(hopsOf: trail)
        // What a scope of the builder itself decides is no alias, whatever lies further out.
        let isDecided = end.cell != nil || end.provider != nil
        if isDecided, !reading.isSeenFromOutside(end.level) { return }  // fault: own-unaliased
        let mask = trail.key.bit
        reading.record(.unaliased, trail.key.address, 0, level: level, mask: mask)  // fault: aliases-recorded
    }

    /// Records which scope is the global one.
    static func recordGlobal() {
        guard let build = ThreadState.current.pointee.innermostBuild else { return }
        // Its first use makes the global scope, which needs the lines.
        _ = GlobalScope.link  // fault: global-made
        let number = build.asking.whileReading { GlobalScope.number }
        build.record(Input(fact: .global, level: Input.nowhere, key: build.key.address, version: number))
    }
}

extension Build {
    /// Records that the builder has looked at all that the asking scope sees.
    fileprivate func recordOverview() { record(.changing(key), mask: Mask.pinned, isPinned: true) }
}
