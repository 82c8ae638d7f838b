extension EnvironmentScope {
    // MARK: Reading

    /// A value, as this scope sees it; setting it overrides it here and below.
    ///
    /// Reading gives the value of the nearest scope that has one, else builds it (see ``ScopeValue``). Setting nil is
    /// setting.
    ///
    /// ```swift
    /// let values = [ScopeValues.port, ScopeValues.adminPort]
    /// let ports = values.map { scope[$0] }
    /// ```
    ///
    /// A read that fails ends the program with the text of the ``ScopeError``; `value(for:)` throws it instead. Through the
    /// scope given to a builder nothing can be set: that ends the program too.
    public subscript<Value>(_ value: ScopeValue<Value>) -> Value {
        get { read(value.key) }
        set { set(newValue, for: value.key) }
    }

    /// The value, as this scope sees it, or an error that says why there is none.
    ///
    /// ```swift
    /// let token = try scope.value(for: ScopeValues.token)
    /// ```
    ///
    /// - Throws: ``ScopeError``, also where the builder of the value, or of one it needs, threw.
    public func value<Value>(for value: ScopeValue<Value>) throws(ScopeError) -> Value {
        try self.value(of: value.key)
    }

    /// The value, as this scope sees it; nil where nothing is set or provided and there is no default.
    ///
    /// ```swift
    /// if let token = try scope.valueIfAny(ScopeValues.token) { connect(with: token) }
    /// ```
    ///
    /// - Throws: ``ScopeError`` for any other reason than that nobody said what the value is.
    public func valueIfAny<Value>(_ value: ScopeValue<Value>) throws(ScopeError) -> Value? {
        try self.valueIfAny(of: value.key)
    }

    /// The value that is set in this scope itself, or was built and is kept here; nil otherwise.
    ///
    /// Builds nothing. It is nil in a builder, for the scope that the builder is given.
    ///
    /// ```swift
    /// #expect(request.localValue(for: ScopeValues.database) == nil)   // shared with the other requests
    /// ```
    public func localValue<Value>(for value: ScopeValue<Value>) -> Value? { localValue(of: value.key) }

    /// What this scope would give if it said nothing of the value itself: what its parent sees, else the default.
    ///
    /// In a builder that was provided for a value, to decorate what lies outside of the scope it was provided in. It is
    /// an input like any other, so the value is built anew when what it inherits changes.
    ///
    /// ```swift
    /// app.provide(ScopeValues.logger) { scope in try scope.inherited(ScopeValues.logger).tagged("app") }
    /// ```
    ///
    /// - Throws: ``ScopeError``, like `value(for:)`.
    public func inherited<Value>(_ value: ScopeValue<Value>) throws(ScopeError) -> Value {
        try inherited(of: value.key)
    }

    /// Checks that every one of the values can be had, building those that are not there yet.
    ///
    /// Call it when the program starts, so that a setting that is missing is known before the first request.
    ///
    /// ```swift
    /// try app.validate(ScopeValues.database, ScopeValues.token)
    /// ```
    ///
    /// A builder that reads a value through a property ends the program where the value is missing, because a property
    /// cannot throw; read with `value(for:)` in builders to have it reported here.
    ///
    /// - Throws: The ``ScopeError`` of the value that cannot be had; where several cannot, one error with all of them in
    ///   ``ScopeError/failures``.
    public func validate<each Value>(_ values: repeat ScopeValue<each Value>) throws(ScopeError) {
        var keys: [ValueKey] = []
        for value in repeat each values { keys.append(value.key) }
        try validate(keys)
    }

    /// Checks that everything that is provided in this scope, or further out, can be built.
    ///
    /// ```swift
    /// try app.validate()
    /// ```
    ///
    /// - Throws: The ``ScopeError`` of the value that cannot be had; where several cannot, one error with all of them in
    ///   ``ScopeError/failures``.
    public func validate() throws(ScopeError) { try validate(target?.providedKeys ?? []) }

    // MARK: Setting

    /// Gives this scope, and those below it, a builder for the value.
    ///
    /// Use it for what is expensive, or needs other values. The builder takes the place of the value's own, so it runs
    /// when the value is first read, sees its inputs as the asking scope does, and what it builds is kept in this
    /// scope or below. Of a set value and a builder the later one stands. A builder uses the scope it is given; one that
    /// captures this scope keeps it alive for good, as this scope keeps the builder.
    ///
    /// ```swift
    /// app.provide(ScopeValues.database) { scope in try SQLite(path: scope.databasePath) }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - fileID: Where the builder stands, for texts.
    ///   - line: Where the builder stands, for texts.
    ///   - make: Builds the value from what the scope it is given sees.
    public func provide<Value>(
        _ value: ScopeValue<Value>,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        provide(value.key, fileID, line, make)
    }

    /// Removes what is set, provided or kept of the value in this scope, which then sees what its parent sees.
    ///
    /// ```swift
    /// request.removeValue(for: ScopeValues.user)
    /// ```
    ///
    /// - Returns: The value that was set or kept here; of several threads that remove it, one is given it.
    @discardableResult
    public func removeValue<Value>(for value: ScopeValue<Value>) -> Value? { removeValue(of: value.key) }

    /// Removes everything that is set, provided or kept in this scope, and its aliases.
    ///
    /// ```swift
    /// test.removeAll()
    /// ```
    public func removeAll() {
        if let node = changeable("Removing all values").node { Changing.removeAll(in: node) }
    }

    /// Sets a value and gives the scope back, so that calls can follow each other.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: nil).with(ScopeValues.port, 9090)
    /// ```
    @discardableResult
    public func with<Value>(_ value: ScopeValue<Value>, _ newValue: Value) -> Self {
        set(newValue, for: value.key)
        return self
    }

    /// Sets a value through its property and gives the scope back, so that calls can follow each other.
    ///
    /// For properties declared on ``EnvironmentScope``, and for longer paths.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: nil).with(\.settings.url, url)
    /// ```
    ///
    /// It does what the assignment does: of a longer path the first part is read and a changed copy of it is set.
    @discardableResult
    public func with<Value>(
        _ property: ReferenceWritableKeyPath<EnvironmentScope, Value>,
        _ value: Value
    ) -> Self {
        PathAssignment.assign(value, to: property, of: self)
        return self
    }

    /// Makes reads of one value reads of another, from this scope down.
    ///
    /// As long as no nearer scope says something of the first value itself, a read of it gives the other's value, and to
    /// set it sets the other. For aliases that are decided at run time; one that is known when the code is written is
    /// better a property: `var main: Queue { get { mainQueue } set { mainQueue = newValue } }`.
    ///
    /// ```swift
    /// scope.alias(ScopeValues.primary, to: ScopeValues.replica)
    /// ```
    ///
    /// An alias that closes a circle ends the program; one that does so only after a new parent was given is an error at
    /// the reads it makes impossible.
    public func alias<Value>(
        _ value: ScopeValue<Value>,
        to other: ScopeValue<Value>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        alias(value.key, other.key, fileID, line)
    }
}
