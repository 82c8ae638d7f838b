extension EnvironmentScope {
    /// Changes several values at once, after what is built from them is built.
    ///
    /// Use it to change the settings of a server that runs. The closure is given a scope in which it sets, provides, decorates and
    /// removes values, as it would in this one. Then what this scope keeps, and would not be given any more with the changes, is built;
    /// meanwhile all reads are given what was there, and nobody waits. Last, one step makes all changes: a read sees all or none.
    ///
    /// ```swift
    /// try app.update {
    ///     $0.poolSize = 200
    ///     $0.databasePath = "b.db"
    /// }
    /// ```
    ///
    /// Where something cannot be built, nothing has changed, and the cleanups of what was built run; a closing does not wait for them.
    /// What was replaced ends when nobody holds it, and those have left who ran further in at the step. So what holds a port or a lock
    /// cannot stand beside its successor under requests: close the scope, or set it while nobody is further in.
    ///
    /// A set in another thread never waits. If it changes what the update changes, the closure is called again, with what was set; what
    /// an earlier call has registered with ``onClose(fileID:line:_:)-1wwi7`` or ``observe(_:)`` is dropped. A change of
    /// this scope in the closure, and not of the scope that it is given, ends the program. An update of that one is a part of this one.
    ///
    /// What takes an await, as a ``Deferred`` value does, is ready before the step with ``reload(closingWithin:_:)``.
    ///
    /// - Parameter change: Makes the changes; it may be called several times. It is the scope in force then.
    /// - Throws: What `change` throws; the ``ScopeError`` of a value that cannot be built, or one error that has all of them; the error
    ///   ``ScopeError/Code/invalid`` where others have changed the same values four times, each time after something was built; the error
    ///   ``ScopeError/Code/closed`` where this scope is closed and what was built has a cleanup.
    public func update(_ change: (EnvironmentScope) throws -> Void) throws { try update([], change) }

    /// Is there for the compiler's message.
    @available(*, unavailable, message: "a change that waits is a reload")
    public func update(_ change: (EnvironmentScope) async throws -> Void) async throws {
        fatalError("a change that waits is a reload")
    }

    /// Changes several values at once, after what is named is built anew too.
    ///
    /// ```swift
    /// try app.update(rebuilding: \.git) {
    ///     $0.poolSize = 200
    /// }
    /// ```
    ///
    /// The form without names, ``update(_:)``, describes the rest.
    ///
    /// - Parameters:
    ///   - values: What is built anew, even if nothing that it was built from has changed: a file has, which no scope sees. It concerns
    ///     values that this scope keeps; what it sets stays.
    ///   - change: Makes the changes.
    public func update<each Value>(
        rebuilding values: repeat ValueName<each Value>,
        change: (EnvironmentScope) throws -> Void
    ) throws {
        try update(keys(of: repeat (each values)(ScopeValues.self)), change)
    }

    /// Changes several values at once, after what is built from them is built, and made where that takes an await.
    ///
    /// It is ``update(_:)`` for an asynchronous closure. Besides, what is ``Deferred`` is awaited before the step, all at once, if the one
    /// that it replaces was made already; and it returns when the ends have run that nobody holds, so it can be called anywhere.
    ///
    /// ```swift
    /// try await app.reload {
    ///     $0.database = try await Postgres.connect()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: How long it waits for those ends; nil for as long as they take.
    ///   - change: Makes the changes, on the actor in which it is written; it may be called several times.
    /// - Throws: What ``update(_:)`` throws; a `CancellationError` where the task is cancelled before the step, and then nothing has changed.
    public nonisolated(nonsending) func reload(
        closingWithin limit: Duration? = nil,
        _ change: @concurrent (EnvironmentScope) async throws -> Void
    ) async throws {
        try await reload([], within: limit, change)
    }

    /// Changes several values at once, after what is named is built anew too, and made where that takes an await.
    ///
    /// ```swift
    /// try await app.reload(rebuilding: \.git, closingWithin: .seconds(10)) { _ in }
    /// ```
    ///
    /// The forms ``reload(closingWithin:_:)`` and ``update(rebuilding:change:)`` describe the rest.
    public nonisolated(nonsending) func reload<each Value>(
        rebuilding values: repeat ValueName<each Value>,
        closingWithin limit: Duration? = nil,
        change: @concurrent (EnvironmentScope) async throws -> Void
    ) async throws {
        try await reload(keys(of: repeat (each values)(ScopeValues.self)), within: limit, change)
    }
}

// MARK: - Making them

extension EnvironmentScope {
    @inline(never)
    private func update(_ renewed: [ValueKey], _ change: (EnvironmentScope) throws -> Void) throws {
        if node.inspect({ node.isStaging }) {
            try change(self)
            return node.note(renewed)
        }
        var attempts = 0
        while true {
            var staging = Staging(of: self)
            do {
                try staging.scope.run { try change(staging.scope) }
                staging.scope.node.note(renewed)
                repeat { _ = try staging.build() } while try staging.end() == nil
                return
            } catch {
                let isRepeated = staging.drop(&attempts)
                staging.scope.closeAfterFailure(.anybody)
                if !isRepeated { throw error }
            }
        }
    }

    @inline(never)
    private nonisolated(nonsending) func reload(
        _ renewed: [ValueKey],
        within limit: Duration?,
        _ change: @concurrent (EnvironmentScope) async throws -> Void
    ) async throws {
        if node.inspect({ node.isStaging }) {
            try await change(self)
            return node.note(renewed)
        }
        var attempts = 0
        while true {
            var staging = Staging(of: self)
            let scope = staging.scope
            do {
                try await scope.run { try await change(scope) }
                scope.node.note(renewed)
                while true {
                    try await makeDeferred(staging.build(), in: scope)
                    if let ends = try staging.end(inTasks: limit != nil) { return await wait(for: ends, within: limit) }
                }
            } catch {
                let isRepeated = staging.drop(&attempts)
                _ = await scope.closeAll()
                if !isRepeated { throw error }
                try Task.checkCancellation()
            }
        }
    }

    /// Makes what is deferred among values that an update has built, at the same time, if it was made here or is named.
    private nonisolated(nonsending) func makeDeferred(_ keys: [ValueKey], in scope: EnvironmentScope) async throws {
        let named = scope.node.inspect { scope.node.extras?.named ?? [] }
        let values = keys.compactMap { key -> (key: ValueKey, value: any Awaited)? in
            guard let value = scope.deferred(key), named.contains(key) || deferred(key)?.isMade == true else {
                return nil
            }
            return (key, value)
        }
        let failures = await scope.failures(of: values)
        if !failures.isEmpty { try Task.checkCancellation() }
        try ScopeError.throwAll(failures)
    }

    /// A deferred value that is there.
    private func deferred(_ key: ValueKey) -> (any Awaited)? {
        let value = node.inspect { () -> Any? in
            guard case .cell(let cell, _, _) = Look.find(key.address, from: node) else { return nil }
            return cell.anyValue
        }
        return value as? any Awaited
    }

    /// Waits until what was replaced has ended, at most until a limit, and tells of what has not.
    private nonisolated(nonsending) func wait(for ends: [Resource], within limit: Duration?) async {
        report(circle: await Ending.shared.wait(for: .init(resources: ends), within: limit))
        guard let limit else { return }
        for resource in ends where !resource.isOver {
            report(ScopeEvent(.cleanupOverdue, in: self, of: resource.title ?? .init(), after: limit))
        }
    }
}
