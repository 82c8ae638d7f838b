extension EnvironmentScope {
    /// Returns a closure that runs in this scope, wherever and whenever it is called.
    ///
    /// Use it where the current scope does not reach: callbacks, Dispatch queues, detached tasks.
    ///
    /// ```swift
    /// queue.async(
    ///     execute: EnvironmentScope.current.bind { handler.run() }
    /// )
    /// ```
    ///
    /// The closure keeps the scope and its whole chain alive. Do not store it in a value of the same scope: the two
    /// would keep each other alive.
    public func bind<each Argument, Result>(
        _ body: @escaping @Sendable (repeat each Argument) -> Result
    ) -> @Sendable (repeat each Argument) -> Result {
        // Separate from the throwing form, because Swift 6.3 crashes if it infers Never as the error type.
        let anchor = Anchor(self)
        return { (arguments: repeat each Argument) -> Result in
            anchor.runBody { () -> Result in body(repeat each arguments) }
        }
    }

    /// Returns a throwing closure that runs in this scope, wherever and whenever it is called.
    ///
    /// ```swift
    /// let parse = scope.bind { (text: String) throws in
    ///     try Parser().parse(text)
    /// }
    /// ```
    ///
    /// It throws what the body throws. Otherwise it is like `bind` for closures that do not throw.
    public func bind<each Argument, Result, Failure: Error>(
        _ body: @escaping @Sendable (repeat each Argument) throws(Failure) -> Result
    ) -> @Sendable (repeat each Argument) throws(Failure) -> Result {
        let anchor = Anchor(self)
        return { (arguments: repeat each Argument) throws(Failure) -> Result in
            try anchor.runBody { () throws(Failure) -> Result in try body(repeat each arguments) }
        }
    }

    /// Returns an asynchronous closure that runs in this scope, wherever and whenever it is called.
    ///
    /// ```swift
    /// Task.detached(
    ///     operation: EnvironmentScope.current.bind {
    ///         await handler.run()
    ///     }
    /// )
    /// ```
    ///
    /// The closure keeps the scope and its whole chain alive. Its body runs on no actor.
    @_disfavoredOverload  // A closure without `await` would be ambiguous.
    public func bind<Result>(
        _ body: @escaping @concurrent @Sendable () async -> Result
    ) -> @concurrent @Sendable () async -> Result {
        let anchor = Anchor(self)
        return { () async -> Result in await anchor.runBody { () async -> Result in await body() } }
    }

    /// Returns an asynchronous throwing closure that runs in this scope, wherever and whenever it is called.
    ///
    /// It throws what the body throws. Otherwise it is like the form that does not throw.
    @_disfavoredOverload
    public func bind<Result, Failure: Error>(
        _ body: @escaping @concurrent @Sendable () async throws(Failure) -> Result
    ) -> @concurrent @Sendable () async throws(Failure) -> Result {
        let anchor = Anchor(self)
        return { () async throws(Failure) -> Result in try await anchor.runBody(body) }
    }

    /// Returns an asynchronous closure of one argument that runs in this scope, wherever and whenever it is called.
    ///
    /// ```swift
    /// await events.forEach(
    ///     EnvironmentScope.current.bind { event in
    ///         await handler.handle(event)
    ///     }
    /// )
    /// ```
    ///
    /// Otherwise it is like the form without an argument.
    @_disfavoredOverload
    public func bind<Argument: Sendable, Result>(
        _ body: @escaping @concurrent @Sendable (Argument) async -> Result
    ) -> @concurrent @Sendable (Argument) async -> Result {
        let anchor = Anchor(self)
        return { (argument: Argument) async -> Result in
            await anchor.runBody { () async -> Result in await body(argument) }
        }
    }

    /// Returns an asynchronous throwing closure of one argument that runs in this scope, wherever and whenever it is called.
    ///
    /// Use it for the closure of a transaction.
    ///
    /// ```swift
    /// try await database.transaction(
    ///     EnvironmentScope.current.bind { transaction in
    ///         try await transaction.save(note)
    ///     }
    /// )
    /// ```
    ///
    /// It throws what the body throws. Otherwise it is like the form without an argument.
    @_disfavoredOverload
    public func bind<Argument: Sendable, Result, Failure: Error>(
        _ body: @escaping @concurrent @Sendable (Argument) async throws(Failure) -> Result
    ) -> @concurrent @Sendable (Argument) async throws(Failure) -> Result {
        let anchor = Anchor(self)
        return { (argument: Argument) async throws(Failure) -> Result in
            try await anchor.runBody { () async throws(Failure) -> Result in try await body(argument) }
        }
    }

    /// Improves the compiler's message for an asynchronous closure of two arguments; cannot be called.
    @available(*, unavailable, message: "an async closure takes one argument; enter the scope in it: await scope { … }")
    public func bind<First, Second, Result>(
        _ body: @escaping @concurrent @Sendable (First, Second) async -> Result
    ) -> @concurrent @Sendable (First, Second) async -> Result { body }
}
