import Synchronization

extension EnvironmentScope {
    // MARK: Entering

    /// Runs code with this scope as the current one.
    ///
    /// ```swift
    /// let answer = try request { try handler.run() }
    /// ```
    ///
    /// The scope is current for all the code that runs on this thread before the body returns, and for tasks it starts
    /// with `Task { }`; not for detached tasks, Dispatch queues or foreign threads (see <doc:Concurrency>). The body
    /// keeps its actor, and what it returns and throws is passed on. The scope and its whole chain stay alive meanwhile.
    public func callAsFunction<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try run(body)
    }

    /// Runs code with this scope as the current one, and gives it the scope.
    ///
    /// ```swift
    /// EnvironmentScope.global { $0.port = 9090 }
    /// ```
    ///
    /// See the synchronous form without an argument for how far the scope reaches.
    public func callAsFunction<Result, Failure: Error>(
        _ body: (EnvironmentScope) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try run { () throws(Failure) in try body(self) }
    }

    /// Runs asynchronous code with this scope as the current one.
    ///
    /// ```swift
    /// try await request { try await handler.run() }
    /// ```
    ///
    /// The scope is current for everything structured below the body, child tasks included, and for tasks started
    /// with `Task { }`; not for detached tasks, Dispatch queues or foreign threads. The body runs on the
    /// caller's actor, and cancellation passes through. The scope and its whole chain stay alive meanwhile.
    public nonisolated(nonsending) func callAsFunction<Result, Failure: Error>(
        _ body: nonisolated(nonsending) () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await run(body)
    }

    /// Runs asynchronous code with this scope as the current one, and gives it the scope.
    ///
    /// ```swift
    /// try await EnvironmentScope.global { $0.database = try await Postgres.connect() }
    /// ```
    public nonisolated(nonsending) func callAsFunction<Result, Failure: Error>(
        _ body: nonisolated(nonsending) (EnvironmentScope) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await run { () async throws(Failure) in try await body(self) }
    }

    /// A closure that runs in this scope wherever and whenever it is called.
    ///
    /// Use it where the current scope does not reach by itself: callbacks, Dispatch queues, detached tasks.
    ///
    /// ```swift
    /// queue.async(execute: EnvironmentScope.current.bind { handler.run() })
    /// ```
    ///
    /// The closure keeps the scope and its whole chain alive. Do not store it in a value of that same scope:
    /// the two would keep each other alive.
    public func bind<each Argument, Result>(
        _ body: @escaping @Sendable (repeat each Argument) -> Result
    ) -> @Sendable (repeat each Argument) -> Result {
        // Apart from the throwing one, because Swift 6.3 crashes where an inferred error type turns out to be Never.
        let anchor = Anchor(self)
        return { (arguments: repeat each Argument) -> Result in
            anchor.run { () -> Result in body(repeat each arguments) }  // fault: bound
        }
    }

    /// A closure that runs in this scope wherever and whenever it is called, and may throw.
    ///
    /// ```swift
    /// let parse = scope.bind { (text: String) throws in try Parser().parse(text) }
    /// ```
    ///
    /// It throws what the body throws. Otherwise it is like `bind` for closures that do not throw.
    public func bind<each Argument, Result, Failure: Error>(
        _ body: @escaping @Sendable (repeat each Argument) throws(Failure) -> Result
    ) -> @Sendable (repeat each Argument) throws(Failure) -> Result {
        let anchor = Anchor(self)
        return { (arguments: repeat each Argument) throws(Failure) -> Result in
            try anchor.run { () throws(Failure) -> Result in try body(repeat each arguments) }
        }
    }

    /// An asynchronous closure that runs in this scope wherever and whenever it is called.
    ///
    /// ```swift
    /// Task.detached(operation: EnvironmentScope.current.bind { await handler.run() })
    /// ```
    ///
    /// The closure keeps the scope and its whole chain alive. It takes no arguments.
    @_disfavoredOverload  // A closure that does not wait could be either.
    public func bind<Result>(
        _ body: @escaping @concurrent @Sendable () async -> Result
    ) -> @concurrent @Sendable () async -> Result {
        let anchor = Anchor(self)
        return { () async -> Result in await anchor.run { () async -> Result in await body() } }
    }

    /// An asynchronous closure that runs in this scope wherever and whenever it is called, and may throw.
    ///
    /// The closure keeps the scope and its whole chain alive. It takes no arguments.
    @_disfavoredOverload
    public func bind<Result, Failure: Error>(
        _ body: @escaping @concurrent @Sendable () async throws(Failure) -> Result
    ) -> @concurrent @Sendable () async throws(Failure) -> Result {
        let anchor = Anchor(self)
        return { () async throws(Failure) -> Result in
            try await anchor.run { () async throws(Failure) -> Result in try await body() }
        }
    }

    // MARK: Child scopes

    /// Runs an operation in a child of this scope, and closes the child when the operation ends.
    ///
    /// For a request, a job, a transaction: whatever has values of its own for as long as it lasts.
    ///
    /// ```swift
    /// try await app.withChild("request") {
    ///     $0.user = user
    /// } operation: {
    ///     try await handler.run()
    /// }
    /// ```
    ///
    /// The child is closed, its cleanups awaited, also when configuring or the operation throws or the task is cancelled.
    ///
    /// - Parameters:
    ///   - name: What error texts call the child.
    ///   - defaults: Whether defaults of values may be used in the child; nil for what this scope says.
    ///   - configure: Sets the child's values; the child is current meanwhile.
    ///   - operation: Runs with the child as the current scope, on the caller's actor.
    public nonisolated(nonsending) func withChild<R>(
        _ name: String? = nil,
        defaults: DefaultsPolicy? = nil,
        _ configure: nonisolated(nonsending) (EnvironmentScope) async throws -> Void,
        operation: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        try await withChild(name, defaults: defaults, configure) { _ in try await operation() }
    }

    /// Runs an operation in a child of this scope, gives it the child, and closes the child when the operation ends.
    ///
    /// See the form whose operation takes no argument.
    public nonisolated(nonsending) func withChild<R>(
        _ name: String? = nil,
        defaults: DefaultsPolicy? = nil,
        _ configure: nonisolated(nonsending) (EnvironmentScope) async throws -> Void,
        operation: nonisolated(nonsending) (EnvironmentScope) async throws -> R
    ) async rethrows -> R {
        let child = EnvironmentScope.empty(name, parent: self, defaults: defaults)
        do {
            let result = try await child.run { () async throws -> R in  // fault: child-entered
                try await configure(child)
                return try await operation(child)
            }
            await child.close()
            return result
        } catch {
            await child.close()
            throw error
        }
    }

    /// Runs an operation in a child of this scope, and closes the child when the operation ends.
    ///
    /// ```swift
    /// try await app.withChild("job") { try await job.run() }
    /// ```
    ///
    /// See the form that configures the child.
    public nonisolated(nonsending) func withChild<R>(
        _ name: String? = nil,
        defaults: DefaultsPolicy? = nil,
        operation: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        try await withChild(name, defaults: defaults, { _ in }) { _ in try await operation() }
    }

    /// Runs an operation in a child of this scope, gives it the child, and closes the child when the operation ends.
    ///
    /// ```swift
    /// try await app.withChild("job") { job in try await Job(id: job.jobID).run() }
    /// ```
    ///
    /// See the form that configures the child.
    public nonisolated(nonsending) func withChild<R>(
        _ name: String? = nil,
        defaults: DefaultsPolicy? = nil,
        operation: nonisolated(nonsending) (EnvironmentScope) async throws -> R
    ) async rethrows -> R {
        try await withChild(name, defaults: defaults, { _ in }, operation: operation)
    }

    // MARK: Closing

    /// Registers what has to be done when this scope is closed; what was registered last is done first.
    ///
    /// In a builder, register it with the scope that the builder is given: it is done when the scope that keeps the value
    /// closes.
    ///
    /// ```swift
    /// static let pool = ScopeValue { scope in
    ///     let pool = try Pool()
    ///     scope.onClose { await pool.shutdown() }
    ///     return pool
    /// }
    /// ```
    ///
    /// Only ``close()`` runs cleanups, not the end of a scope that nobody closed. One that is registered when the scope
    /// is closed already runs at once, in a task of its own.
    public func onClose(_ cleanup: @escaping @Sendable () async -> Void) {
        if let build, build.addCleanup(cleanup) { return }
        guard let scope = target else {
            Task { await cleanup() }
            return
        }
        scope.addCleanups([cleanup])
    }

    /// Runs the cleanups of this scope, last first, each to its end, then lets go of the values it built.
    ///
    /// Cleanups run once, in this scope, and are not cancelled with the task that closes. A second call waits for the
    /// first. A closed scope still gives what is set in it and what its parents have, or can build;
    /// what would have to be kept in it is the error ``ScopeError/Code/closed``.
    ///
    /// ```swift
    /// await app.close()
    /// ```
    public func close() async {
        await changeable("Closing a scope").runCleanups()
    }

    /// Whether ``close()`` has run all cleanups.
    ///
    /// False in a builder, for the scope that the builder is given.
    public var isClosed: Bool {
        if let build, build.isBuilding { return false }
        guard let node = target?.node else { return true }
        let line = node.startReading()
        defer { node.finishReading(line) }
        return node.pointee.flags.contains(.closed)
    }
}
