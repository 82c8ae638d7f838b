extension EnvironmentScope {
    // MARK: Entering

    // Inlined into the caller, who knows the types of the result and of the error: otherwise each level of asynchronous code
    // allocates room for them, which costs more than entering the scope.

    /// Runs code with this scope as the current one.
    ///
    /// ```swift
    /// let answer = try request { try handler.run() }
    /// ```
    ///
    /// The scope is current for all code that runs on this thread before the body returns, and for tasks that it
    /// starts with `Task { }`. It is not current in detached tasks, on Dispatch queues or on foreign threads (see
    /// <doc:Concurrency>). The body keeps its actor, and its result or error is passed on. The scope and its whole
    /// chain stay alive while the body runs.
    @inlinable
    public func callAsFunction<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try run(body)
    }

    /// Runs code with this scope as the current one, and passes it the scope.
    ///
    /// ```swift
    /// EnvironmentScope.global { $0.port = 9090 }
    /// ```
    ///
    /// It is current for the same code as in the form without an argument.
    @inlinable
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
    /// The scope is current for all structured concurrency below the body, child tasks included, and for tasks that
    /// it starts with `Task { }`. It is not current in detached tasks, on Dispatch queues or on foreign threads. The
    /// body stays on the actor in which it is written, and may use and return what is not `Sendable`. Cancellation passes
    /// through. The scope and its whole chain stay alive while the body runs.
    @inlinable
    public nonisolated(nonsending) func callAsFunction<Result, Failure: Error>(
        _ body: @concurrent () async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await run(body)
    }

    /// Runs asynchronous code with this scope as the current one, and passes it the scope.
    ///
    /// ```swift
    /// try await EnvironmentScope.global {
    ///     $0.database = try await Postgres.connect()
    /// }
    /// ```
    @inlinable
    public nonisolated(nonsending) func callAsFunction<Result, Failure: Error>(
        _ body: @concurrent (EnvironmentScope) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        try await run { () async throws(Failure) in try await body(self) }
    }

    // MARK: Scopes that close themselves

    /// Runs an operation in a new scope, and closes the scope when the operation ends.
    ///
    /// Use it for a program: its scope is closed, and the cleanups are awaited, however the program ends.
    ///
    /// ```swift
    /// try await EnvironmentScope.withScope("app", role: .application) {
    ///     $0.database = try await Postgres.connect()
    /// } operation: { app in
    ///     try await app.prepare()
    ///     try await serve(app)
    /// }
    /// ```
    ///
    /// The scope is ``current`` in both. It is closed as ``close()`` does, even if `configure` or `operation` throws or the task is
    /// cancelled, and what they throw is passed on. For a request or a job, use `withChild`.
    ///
    /// Without a parent and with the role `.application` it is the ``global`` scope once it is configured, until another one is, though
    /// not where tests run. So what has no scope (a detached task, a queue, a callback) is given the application's values.
    ///
    /// - Parameters:
    ///   - name: The name of the scope in error texts.
    ///   - role: What the scope is for: values that are begun once in that role stay in it. Nil for none.
    ///   - parent: The scope that supplies the values that this one does not have. Nil, the default, makes a standalone scope.
    ///   - defaults: Whether the scope may use the defaults of values; nil for the parent's policy.
    ///   - closingWithin: How long the closing waits, as ``close(within:)`` does; nil for as long as it takes.
    ///   - configure: Sets the values.
    ///   - operation: Runs with the scope as the current one, and is passed it.
    @inlinable
    public static nonisolated(nonsending) func withScope<R>(
        _ name: String? = nil,
        role: ScopeRole? = nil,
        parent: EnvironmentScope? = nil,
        defaults: DefaultsPolicy? = nil,
        closingWithin: Duration? = nil,
        _ configure: @concurrent (EnvironmentScope) async throws -> Void,
        operation: @concurrent (EnvironmentScope) async throws -> R
    ) async rethrows -> R {
        // The scope does not keep it before it is entered.
        defer { withExtendedLifetime(parent) {} }
        let scope = EnvironmentScope.empty(name, role: role, parent: parent, defaults: defaults)
        return try await scope.run { () async throws -> R in
            do {
                try await configure(scope)
                scope.becomeApplication()
                let result = try await operation(scope)
                await scope.closeAtEnd(within: closingWithin)
                return result
            } catch {
                await scope.closeAtEnd(within: closingWithin)
                throw error
            }
        }
    }

    @usableFromInline
    func becomeApplication() { GlobalScope.replace(byApplication: self) }

    // MARK: Child scopes

    /// Runs an operation in a child of this scope, and closes the child when the operation ends.
    ///
    /// Use it for a request or a job: anything that has values of its own for as long as it lasts.
    ///
    /// ```swift
    /// try await app.withChild("request", role: .request) {
    ///     $0.user = user
    /// } operation: {
    ///     try await handler.run()
    /// }
    /// ```
    ///
    /// The child is ``current`` in both. It is closed as ``close()`` does, even if `configure` or `operation` throws or the task is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - name: The name of the child in error texts.
    ///   - role: What the child is for: values that are begun once in that role stay in it. Nil for none.
    ///   - defaults: Whether the child may use the defaults of values; nil for the policy of this scope.
    ///   - closingWithin: How long the closing waits, as ``close(within:)`` does; nil for as long as it takes.
    ///   - configure: Sets the child's values.
    ///   - operation: Runs with the child as the current scope, on the actor in which it is written.
    @inlinable
    public nonisolated(nonsending) func withChild<R>(
        _ name: String? = nil,
        role: ScopeRole? = nil,
        defaults: DefaultsPolicy? = nil,
        closingWithin: Duration? = nil,
        _ configure: @concurrent (EnvironmentScope) async throws -> Void,
        operation: @concurrent () async throws -> R
    ) async rethrows -> R {
        // The child does not keep it.
        defer { withExtendedLifetime(self) {} }
        let child = EnvironmentScope.empty(name, role: role, parent: self, defaults: defaults)
        return try await child.run(in: child.enterBelowKeptParent()) { () async throws -> R in
            // Closed while it is in force, because its cleanups may need the whole chain.
            do {
                try await configure(child)
                let result = try await operation()
                await child.closeAtEnd(within: closingWithin)
                return result
            } catch {
                await child.closeAtEnd(within: closingWithin)
                throw error
            }
        }
    }

    /// Runs an operation in a child of this scope that has no values of its own, and closes the child when the operation ends.
    ///
    /// ```swift
    /// try await app.withChild("job", role: .request) { try await job.run() }
    /// ```
    ///
    /// See the form that configures the child.
    @inlinable
    public nonisolated(nonsending) func withChild<R>(
        _ name: String? = nil,
        role: ScopeRole? = nil,
        defaults: DefaultsPolicy? = nil,
        closingWithin: Duration? = nil,
        operation: @concurrent () async throws -> R
    ) async rethrows -> R {
        // As a default of the parameter, the configuration would count as one that throws.
        try await withChild(
            name,
            role: role,
            defaults: defaults,
            closingWithin: closingWithin,
            { _ in },
            operation: operation
        )
    }

    // MARK: Closing

    /// Registers a cleanup that runs when this scope is closed; the one registered last runs first.
    ///
    /// ```swift
    /// app.onClose { try await connection.shutdown() }
    /// ```
    ///
    /// A builder registers the cleanup of its value with its reader: ``ScopeReader/onClose(_:)-9ahu9``. An error that a cleanup throws is
    /// told to the observers (``observe(_:)``), and fails a test. Of a scope that goes away without being closed, the cleanups run in a
    /// task that nothing waits for. A cleanup that is registered after the scope was closed runs at once, in a task of its own.
    /// `Task.isCancelled` is false in it, whoever closes. It may be called on any thread.
    public func onClose(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ cleanup: @escaping @Sendable () async throws -> Void
    ) {
        addCleanup(Cleanup(awaited: cleanup, title: .init(place: SourcePlace(fileID: fileID, line: line))))
    }

    /// Registers a cleanup that awaits nothing, which costs a fifth of one that does.
    ///
    /// ```swift
    /// request.onClose { span.end() }
    /// ```
    ///
    /// The compiler chooses this form for a closure without `await`. Who closes the scope calls it, before `close()` returns, and
    /// one that is registered after that runs before `onClose` returns. `Task.isCancelled` is false in it, too: where the closing
    /// task is cancelled, another one calls it. Else it is like the other form, and both run in one order.
    public func onClose(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ cleanup: @escaping @Sendable () throws -> Void
    ) {
        addCleanup(Cleanup(plain: cleanup, title: .init(place: SourcePlace(fileID: fileID, line: line))))
    }

    /// Waits until nobody runs in this scope or further in, and then runs the cleanups of this scope and of the values that it keeps,
    /// last first, each to its end.
    ///
    /// ```swift
    /// await app.close()
    /// ```
    ///
    /// While it waits, all is given as before, ``isClosing`` is true, and an event of the kind `draining` names the scopes in which
    /// somebody runs. Next, scopes further in that still keep something to end are closed, those side by side at once. Then the ends
    /// take turns. Once the ends have begun, what has a cleanup is the error ``ScopeError/Code/closed`` for who comes from outside, and
    /// given to cleanups until its turn. A closed scope still gives and builds everything else.
    ///
    /// Cleanups run once, in this scope, and cancelling the task that closes does not cancel what they await. A caller inside waits for
    /// all others, but not for the bodies of the scopes in which he runs, nor for what those keep. A second call waits for the first,
    /// but in one of the cleanups it returns at once. It may be called on any thread.
    public nonisolated(nonsending) func close() async {
        // Without another asynchronous call where nothing has to be awaited.
        if let rest = closeAtOnce() { _ = await finish(rest) }
    }

    /// Closes the scope like ``close()``, and returns at a limit at the latest, with the names of what has not ended.
    ///
    /// Use it where a program has to stop, whatever hangs.
    ///
    /// ```swift
    /// for name in await app.close(within: .seconds(20)) {
    ///     logger.error("\(name) has not ended")
    /// }
    /// ```
    ///
    /// Half of the limit is for who is inside; then the ends begin under them. Shortly before the limit they begin without waiting for
    /// their turn, but never before those of what was built from them. What has not ended goes on, and observers are told of it. A
    /// cleanup of the scope itself is named by the place where it was registered, and a scope in which somebody still runs as
    /// `what runs in "request"`. A limit needs a thread of tasks that is free. It may be called on any thread.
    @discardableResult
    public nonisolated(nonsending) func close(within limit: Duration) async -> [String] {
        await closeAll(within: limit)
    }

    /// Whether somebody closes the scope, or has: from the call of ``close()`` on, also while it waits for those who run inside.
    ///
    /// Use it where a request comes in, to answer that the server stops.
    ///
    /// ```swift
    /// if app.isClosing { return Response(status: .serviceUnavailable) }
    /// ```
    ///
    /// It may be asked on any thread.
    public var isClosing: Bool { isClosingNow }

    /// Whether ``close()`` has run all cleanups.
    public var isClosed: Bool { isClosedNow }
}
