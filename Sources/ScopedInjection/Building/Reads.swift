/// Where every read begins: what a builder does with its reader, and what other code reads.
extension ScopeReader {
    /// The value as the asking scope sees it, which becomes an input.
    @inline(__always)
    func value<Value>(of key: TypedKey<Value>) throws(ScopeError) -> Value {
        let build = running
        let node = build.asking
        let line = build.line
        node.pointee.lines.lock(line)
        var level: Int32 = 0
        if node.isOpen(line), let found = node.walk(key.key, &level) {
            let value = found.address(of: Value.self).assumingMemoryBound(to: Value.self).pointee
            build.with { build in
                build.checkMoment()
                if let cell = found.cell {
                    build.record(cell, key.key, cell.kept?.pointee.decision ?? cell.version, level: level)
                } else {
                    build.record(constant: key.key)
                }
                // Without `finishRetaining`: a value whose type is not known is copied by a call.
                node.pointee.lines.unlock(line)
                Announcing.follow(build)
            }
            return value
        }
        if node.isOpen(line) { return try Resolution.value(of: key, from: node, for: build, holding: line) }
        node.pointee.lines.unlock(line)
        return try Resolution.value(of: key, from: node, for: build)
    }

    /// The value that the builder's scope would give without the decision that the builder carries out.
    func valueBeyond<Value>(_ key: TypedKey<Value>) throws(ScopeError) -> Value {
        let build = running
        let (decision, node) = build.with { ($0.decision, $0.asking) }
        return try Resolution.value(of: key, past: decision, from: node, for: build)
    }

    func addCleanup(_ cleanup: Cleanup) {
        running.object.add(cleanup)
    }

    /// Notes which decoration has thrown; -1 for what is decorated.
    func note(failureOf decoration: Int) { running.object.run.failedDecoration = Int32(decoration) }

    var titleOfCleanup: Cleanup.Title { Cleanup.Title(value: running.key) }
}

/// Where code reads that is not given a reader: within a builder, or in a task that it has started.
enum ReadingContext {
    case builder(ScopeReader)
    case scope(EnvironmentScope)

    /// The context of an anchor; in a task that a builder has started, the scope that keeps the value, once that is built.
    init(_ anchor: Anchor) throws(ScopeError) {
        guard let build = anchor.build?.object else {
            self = .scope(anchor.scope.unsafelyUnwrapped.object)
            return
        }
        if build.isOnThisThread {
            self = .builder(ScopeReader(build, build.runNumber))
        } else if let keeper = Waiting.keeper(of: build) {
            self = .scope(keeper)
        } else {
            throw ScopeError(
                .parentReleased,
                detail: "the scope that kept the value whose builder started this task is gone"
            )
        }
    }

    /// The scope of an anchor; while a value is built, the one that asked, whichever task wants to know.
    static func forLogging(_ anchor: Anchor) -> EnvironmentScope {
        guard let build = anchor.build?.object else {
            return anchor.scope.unsafelyUnwrapped.object
        }
        return build.scopeNow ?? GlobalScope.current
    }

    func value<Value>(of key: TypedKey<Value>) throws(ScopeError) -> Value {
        switch self {
        case .builder(let reader): try reader.value(of: key)
        case .scope(let scope): try scope.value(of: key)
        }
    }

    /// The scope that reads, for texts.
    var asking: EnvironmentScope {
        switch self {
        case .builder(let reader): reader.running.with { $0.asking.withScope { $0 } }
        case .scope(let scope): scope
        }
    }

    /// The current scope; ends the program in a builder whose value may be kept in another one.
    func scope() -> EnvironmentScope {
        switch self {
        case .scope(let scope): return scope
        case .builder(let reader):
            let build = reader.running.object
            if build.key.role != nil { return build.asking.withScope { $0 } }
            var error = ScopeError(
                .invalid,
                key: build.key,
                detail: """
                    The builder of \(build.key.typedName) has no current scope, because the scope that will keep the value \
                    is not known yet.
                    """,
                advice: """
                    read through the builder's reader, give it the scope from outside, or declare \(build.key.name) \
                    .once(in: .request), so that it stays in the scope of that role; \
                    a scope that the builder makes needs a parent: of its own. For a log line, ask EnvironmentScope.forLogging.
                    """
            )
            error.fields.builder = build.place
            error.endProgram()
        }
    }
}

extension EnvironmentScope {
    /// The value as this scope sees it; ends the program if there is none.
    @inline(__always)
    func read<Value>(_ key: TypedKey<Value>) -> Value {
        let read = HeldRead(key, in: node)
        guard let address = read.address else { return searchOrEnd(key) }
        let value: Value = HeldRead.value(at: address)
        read.unlock()
        return value
    }

    /// The value as this scope sees it, or the error that says why there is none.
    @inline(__always)
    func value<Value>(of key: TypedKey<Value>) throws(ScopeError) -> Value {
        let read = HeldRead(key, in: node)
        guard let address = read.address else { return try Resolution.value(of: key, from: node) }
        let value: Value = HeldRead.value(at: address)
        read.unlock()
        return value
    }

    @inline(never)
    private func searchOrEnd<Value>(_ key: TypedKey<Value>) -> Value {
        do throws(ScopeError) { return try Resolution.value(of: key, from: node) } catch { error.endProgram(in: self) }
    }
}

extension HeldRead {
    /// The value that the walk did not find.
    func searched<Value>(for key: TypedKey<Value>) throws(ScopeError) -> Value {
        defer { anchor?.release() }
        guard let anchor else { return try GlobalScope.current.value(of: key) }
        if let scope = anchor.scope {
            return try Resolution.value(of: key, from: scope.node)
        }
        return try ReadingContext(anchor.object).value(of: key)
    }
}
