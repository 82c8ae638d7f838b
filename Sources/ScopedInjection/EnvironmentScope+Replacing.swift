extension EnvironmentScope {
    /// Makes every reference that is a stored property of an instance read from this scope.
    ///
    /// Use it to move existing objects to another scope, in a test or when a request takes them over. It includes the
    /// properties of superclasses. It uses reflection: no other thread may change the instance meanwhile, and a type
    /// with a custom mirror shows only what that mirror does.
    ///
    /// ```swift
    /// let service = Service()
    /// test.replace(in: service)
    /// ```
    ///
    /// The references keep this scope and its whole chain alive, but for those of an object that is a value of the scope or
    /// its chain when this is called. For objects inside such a value, and for one that becomes a value later, there is
    /// ``replaceInValues(options:)``.
    ///
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replace(in instance: Any, options: ReplaceOptions = []) -> Int {
        replace(inAll: [instance], options)
    }

    /// Makes every reference that is a stored property of one of the instances read from this scope.
    ///
    /// ```swift
    /// test.replace(in: [users, orders])
    /// ```
    ///
    /// It takes an instance that is itself a sequence for a sequence of instances. Write `as Any` to bind its own references.
    /// No other thread may change the instances meanwhile.
    ///
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replace<S: Sequence>(in instances: S, options: ReplaceOptions = []) -> Int {
        replace(inAll: instances.map { $0 as Any }, options)
    }

    /// Makes every reference that is a stored property of one of the instances read from this scope.
    ///
    /// ```swift
    /// test.replace(in: users, orders)
    /// ```
    ///
    /// No other thread may change the instances meanwhile.
    ///
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replace(in first: Any, _ second: Any, _ rest: Any..., options: ReplaceOptions = []) -> Int {
        replace(inAll: [first, second] + rest, options)
    }

    /// Binds the references in the values that this scope holds, set or kept, to this scope.
    ///
    /// The references do not keep the scope alive. No other thread may change the values meanwhile.
    ///
    /// ```swift
    /// let test = EnvironmentScope("test", parent: nil) {
    ///     $0.mailer = Mailer()
    /// }
    /// test.replaceInValues()
    /// ```
    ///
    /// - Returns: The number of references that were set, each counted once.
    @discardableResult
    public func replaceInValues(options: ReplaceOptions = []) -> Int {
        replace(inAll: storedValues, options, isOwning: false)
    }

    /// Checks that every reference that is a stored property of an instance resolves in this scope.
    ///
    /// It visits the references that `replace(in:options:)` would bind, and builds what they read, but binds nothing. Call it
    /// when the program starts. No other thread may change the instance meanwhile.
    ///
    /// ```swift
    /// try app.validateReferences(in: controller, options: .nested)
    /// ```
    ///
    /// A reference with a scope of its own is checked in that scope. A reference that was made with a function ends
    /// the program if it does not resolve, because that function cannot throw.
    ///
    /// - Throws: The ``ScopeError`` of the reference that does not resolve. If there are several, it is one error
    ///   that has all of them in ``ScopeError/failures``.
    public func validateReferences(in first: Any, _ rest: Any..., options: ReplaceOptions = []) throws(ScopeError) {
        try validateReferences(inAll: [first] + rest, options)
    }

    /// Checks that all that the references of instances need can be had in a child, and closes the child again.
    ///
    /// Call it when a server starts, with an example of what a request sets: it finds what the first request would lack, because
    /// it builds what the references read.
    ///
    /// ```swift
    /// try await app.validateChild("request", role: .request, of: handler) {
    ///     $0.user = User(name: "Ada")
    /// }
    /// ```
    ///
    /// It is `validateReferences(in:)` in `withChild`, so the cleanups of what was built for the child are awaited.
    ///
    /// - Throws: The ``ScopeError`` of the reference that does not resolve, or one error that has all of them in
    ///   ``ScopeError/failures``. What `configure` throws.
    public nonisolated(nonsending) func validateChild(
        _ name: String? = nil,
        role: ScopeRole? = nil,
        of instances: Any...,
        options: ReplaceOptions = [],
        _ configure: @concurrent (EnvironmentScope) async throws -> Void
    ) async throws {
        try await withChild(name, role: role, configure) {
            try EnvironmentScope.current.validateReferences(inAll: instances, options)
        }
    }
}
