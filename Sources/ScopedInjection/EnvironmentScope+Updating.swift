extension EnvironmentScope {
    /// Changes several values at once, after what is built from them is built.
    ///
    /// Use it to change the settings of a server that runs. The closure is called once, and given a child of this scope, in which it sets
    /// and provides values. Then what this scope keeps, and would not be given any more with the changes, is built; meanwhile all reads
    /// are given what was there, and nobody waits. Last, one step makes all changes: a read sees all or none.
    ///
    /// ```swift
    /// try app.update {
    ///     $0.poolSize = 200
    ///     $0.databasePath = "b.db"
    /// }
    /// ```
    ///
    /// A value that stays (``ValueLifetime/once(in:)``) is begun anew only where it is named (``update(rebuilding:change:)``). Where this
    /// scope has set a value that is `Equatable` and no object, an equal one lets go of nothing: so settings are one value each.
    ///
    /// Where something cannot be built, nothing has changed, and what was built ends. What was replaced ends when nobody holds it, and those have left who ran further in at the step. So what holds a port or a lock
    /// cannot stand beside its successor under requests: close the scope, or set it while nobody is further in.
    ///
    /// A set in another thread never waits. Where it changes what the update changes, or has read to build, the update is the error
    /// ``ScopeError/Code/invalid``, and may be called again; so is a removal or a decoration in it, an update in an update, and one that
    /// replaces a ``Deferred`` value which was made. A change of this scope in the closure, and not of the scope that it is given, ends the
    /// program. What is made below that one lies below this scope from then on.
    ///
    /// What takes an await, as a ``Deferred`` value does, is ready before the step with ``reload(closingWithin:_:)``.
    ///
    /// - Parameter change: Makes the changes. The scope that it is given is in force then.
    /// - Throws: What `change` throws; the ``ScopeError`` of a value that cannot be built, or one error that has all of them; the error
    ///   ``ScopeError/Code/invalid`` for what is said above; the error ``ScopeError/Code/closed`` where this scope is closed and what was built has a cleanup.
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
    ///   - values: What is built anew, even if nothing that it was built from has changed: a file has, which no scope sees. What this
    ///     scope has not built is the error ``ScopeError/Code/invalid``.
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
    /// that it replaces was made already; and it returns when the ends have run that nobody holds, so it can be called anywhere. It waits
    /// until the reload before it is made, or has failed.
    ///
    /// ```swift
    /// try await app.reload {
    ///     $0.database = try await Postgres.connect()
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - limit: How long it waits for those ends; nil for as long as they take.
    ///   - change: Makes the changes, on the actor in which it is written.
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
        let staging = try Staging(of: self)
        do {
            try staging.scope.run { try change(staging.scope) }
            try staging.renew(renewed)
            let made = deferred(among: try staging.build(), staging).first { deferred($0.key)?.isMade == true }
            if let made { throw ScopeError.updateUnmakes(made.key, in: self) }
            _ = try staging.end()
        } catch {
            _ = staging.drop()
            throw error
        }
    }

    @inline(never)
    private nonisolated(nonsending) func reload(
        _ renewed: [ValueKey],
        within limit: Duration?,
        _ change: @concurrent (EnvironmentScope) async throws -> Void
    ) async throws {
        if isInUpdate { throw ScopeError.updateInUpdate(of: self) }
        let turn = await waitForReload()
        let ends: [Resource]
        var failure: (any Error)?
        do {
            try Task.checkCancellation()
            let staging = try Staging(of: self)
            do {
                try await staging.scope.run { try await change(staging.scope) }
                try staging.renew(renewed)
                try await make(deferred(among: staging.build(), staging))
                ends = try staging.end(inTasks: limit != nil)
            } catch {
                (ends, failure) = (staging.drop(), error)
            }
        } catch {
            (ends, failure) = ([], error)
        }
        Ending.shared.end(turn)
        await wait(for: ends, within: limit)
        if let failure { throw failure }
    }

    /// What is deferred among values that an update has built, if the one that it replaces was made or it is named.
    private func deferred(among keys: [ValueKey], _ staging: Staging) -> [(key: ValueKey, value: any Awaited)] {
        // By the type first, because a look at each value would cost an update a tenth.
        keys.filter { $0.valueType is any Awaited.Type }.compactMap { key in
            guard let value = staging.scope.deferred(key), staging.isNamed(key) || deferred(key)?.isMade == true else {
                return nil
            }
            return (key, value)
        }
    }

    /// Makes deferred values, at the same time.
    private nonisolated(nonsending) func make(_ values: [(key: ValueKey, value: any Awaited)]) async throws {
        let failures = await failures(of: values)
        if !failures.isEmpty { try Task.checkCancellation() }
        try ScopeError.throwAll(failures)
    }

    /// A deferred value that is there.
    private func deferred(_ key: ValueKey) -> (any Awaited)? {
        let value = node.inspect { () -> Any? in
            guard let cell = Look.find(key.address, from: node).cell else { return nil }
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
