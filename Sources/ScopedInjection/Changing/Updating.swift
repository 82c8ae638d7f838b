/// Makes updates: has the changes made in a scope of their own, builds what depends on them, and lets this scope take over both.
extension EnvironmentScope {
    func update(_ named: [ValueKey], _ renewed: [ValueKey], _ change: (EnvironmentScope) throws -> Void) throws {
        if node.whileReading({ node.isStaging }) {
            try change(self)
            return node.note(named, renewed)
        }
        var attempts = 0
        while attempts < 4 {
            var staging = Staging(of: self)
            do {
                try staging.scope.run { try change(staging.scope) }
                staging.scope.node.note(named, renewed)
                if try finish(&staging) { return }
            } catch {
                staging.drop()
                staging.scope.closeAfterFailure()
                throw error
            }
            if staging.hasBuilt { attempts += 1 }
            staging.drop(isRepeated: true)
            staging.scope.closeAfterFailure()
        }
        throw unrest
    }

    nonisolated(nonsending) func reload(
        _ named: [ValueKey],
        _ renewed: [ValueKey],
        within limit: Duration?,
        _ change: @concurrent (EnvironmentScope) async throws -> Void
    ) async throws {
        if node.whileReading({ node.isStaging }) {
            try await change(self)
            return node.note(named, renewed)
        }
        var attempts = 0
        while attempts < 4 {
            var staging = Staging(of: self)
            let scope = staging.scope
            do {
                try await scope.run { try await change(scope) }
                scope.node.note(named, renewed)
                if let ends = try await prepare(&staging) { return await wait(for: ends, within: limit) }
                try Task.checkCancellation()
            } catch {
                staging.drop()
                await scope.closeAll()
                throw error
            }
            if staging.hasBuilt { attempts += 1 }
            staging.drop(isRepeated: true)
            await scope.closeAll()
        }
        throw unrest
    }

    /// Builds what has to be there first, and makes the update; false if another one has changed what it changes.
    private func finish(_ staging: inout Staging) throws(ScopeError) -> Bool {
        var pass = 0
        while true {
            pass += 1
            _ = try staging.build()
            switch staging.end(isLast: pass == Self.mostPasses) {
            case .done: return true
            case .again: continue
            case .conflict: return false
            case .closed: throw closedForUpdate
            }
        }
    }

    /// The same, with what is deferred; returns what has to end, or nil.
    private nonisolated(nonsending) func prepare(_ staging: inout Staging) async throws -> [Ends.ID]? {
        var pass = 0
        while true {
            pass += 1
            try await Self.await(staging.build(isAwaiting: true), in: staging.scope)
            switch staging.end(isLast: pass == Self.mostPasses) {
            case .done(let ends): return ends
            case .again: continue
            case .conflict: return nil
            case .closed: throw closedForUpdate
            }
        }
    }

    /// How often values are built again whose inputs others have changed, before they are left to the next read.
    private static var mostPasses: Int { 4 }

    /// Awaits deferred values at the same time.
    private static nonisolated(nonsending) func await(_ values: [(ValueKey, any Awaited)], in scope: EnvironmentScope)
        async throws
    {
        if values.isEmpty { return }
        let errors = await withTaskGroup(of: (Int, (any Error)?).self) { group in
            for (index, (_, value)) in values.enumerated() {
                group.addTask {
                    do {
                        try await value.make()
                        return (index, nil)
                    } catch { return (index, error) }
                }
            }
            return await group.reduce(into: [Int: any Error]()) { $0[$1.0] = $1.1 }
        }
        if !errors.isEmpty { try Task.checkCancellation() }
        try ScopeError.throwAll(
            errors.sorted { $0.key < $1.key }.map { index, error in
                if let known = error as? ScopeError, known.subject != nil { return known }
                var failed = ScopeError(.makeFailed, key: values[index].0, searched: scope.chainNames)
                failed.fields.underlyingError = error
                return failed
            }
        )
    }

    /// Waits until what was replaced has ended, at most until a limit, and tells of what has not.
    private nonisolated(nonsending) func wait(for ends: [Ends.ID], within limit: Duration?) async {
        report(circle: await Ending.shared.wait(for: ends, within: limit, holding: keptByCaller))
        guard let limit else { return }
        for resource in Ending.shared.left(of: self) where ends.contains(resource.id) {
            report(ScopeEvent(.cleanupOverdue, in: self, of: resource.title ?? .init(), after: limit))
        }
    }

    /// What scopes further in keep, in which the caller runs.
    private var keptByCaller: [Ends.ID] {
        guard let inner = Anchor.current?.node else { return [] }
        return inner.whileReading {
            if !inner.chain.contains(node) { return [] }
            return inner.chain.prefix { $0 != node }.flatMap { $0.resources.map(\.id) }
        }
    }

    private var unrest: ScopeError {
        ScopeError(
            .invalid,
            detail: "What an update of \(displayName) changes was changed by others each time.",
            advice: "let one task change these values."
        )
    }

    private var closedForUpdate: ScopeError {
        ScopeError(.closed, detail: "\(displayName) is closed, and what the update has built has a cleanup")
    }
}

/// What updates note; the caller has called `startWriting`.
extension UnsafeMutablePointer where Pointee == Node {
    /// Begins an update, and returns the number of changes before it.
    func beginUpdate() -> UInt64 {
        // So that a set looks whether there is one.
        if pointee.keptValues == 0 {
            markTidied()
            pointee.keptValues = 1
        }
        pointee.flags.insert(.updating)
        let extras = makeExtras()
        var updates = extras.updates.take() ?? Updates()
        updates.count += 1
        extras.updates = updates
        return updates.changes
    }

    /// Ends an update, which was made or dropped.
    func endUpdate() {
        extras?.updates?.count -= 1
        if extras?.updates?.count != 0 { return }
        extras?.updates = nil
        pointee.flags.remove(.updating)
    }

    /// Notes a change of a value, or of all; false if there is no update in progress.
    @inline(__always)
    func noteChange(of key: ValueKey?) -> Bool {
        if !pointee.flags.contains(.updating) { return false }
        count(key)
        return true
    }

    @inline(never)
    private func count(_ key: ValueKey?) {
        guard let extras, var updates = extras.updates.take() else { return }
        updates.changes += 1
        if let key { updates.last[key] = updates.changes } else { updates.lastOfAll = updates.changes }
        extras.updates = updates
    }

    /// Whether one of some values was changed since an update began.
    func isChanged(_ keys: some Sequence<ValueKey>, since start: UInt64) -> Bool {
        guard let updates = extras?.updates, updates.changes > start else { return false }
        return keys.contains { max(updates.last[$0] ?? 0, updates.lastOfAll) > start }
    }
}

extension EnvironmentScope {
    /// Ends the program in the closure of an update of this scope, which has changed this scope instead of the one that it is given.
    func endIfInOwnUpdate(_ key: ValueKey?) {
        guard let current = Anchor.current?.node,
            current.whileReading({ current.chain.contains { $0.isStaging && $0.next == node } })
        else { return }
        ScopeError(
            .invalid,
            detail:
                "An update of \(displayName) changes \(key?.name ?? "all values") in \(displayName) itself, before it is made.",
            advice: "change it in the scope that the closure is given: update { $0\(key?.codeMember ?? "") … }."
        ).endProgram()
    }
}
