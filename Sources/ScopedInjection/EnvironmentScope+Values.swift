extension EnvironmentScope {
    // MARK: Reading

    /// The value as this scope sees it; setting it overrides it here and below.
    ///
    /// A read returns the value of the nearest scope that has one, or else builds it (see ``ScopeValue``). Setting
    /// nil counts as setting.
    ///
    /// ```swift
    /// let values = [ScopeValues.port, ScopeValues.adminPort]
    /// let ports = values.map { scope[$0] }
    /// ```
    ///
    /// A read that fails ends the program with the text of the ``ScopeError``; `value(for:)` throws it instead.
    /// Setting a value through the scope that a builder was given ends the program too.
    public subscript<Value>(_ value: ScopeValue<Value>) -> Value {
        get { read(value.key) }
        set { set(newValue, for: value.key) }
    }

    /// Returns the value as this scope sees it, or throws an error that says why there is none.
    ///
    /// ```swift
    /// let token = try scope.value(for: ScopeValues.token)
    /// ```
    ///
    /// - Throws: ``ScopeError``, also if the builder of the value, or of a value it needs, threw.
    public func value<Value>(for value: ScopeValue<Value>) throws(ScopeError) -> Value {
        try self.value(of: value.key)
    }

    /// Returns the value as this scope sees it, or nil if nothing is set or provided and there is no default.
    ///
    /// ```swift
    /// if let token = try scope.valueIfAny(ScopeValues.token) { connect(with: token) }
    /// ```
    ///
    /// - Throws: ``ScopeError`` for any other failure.
    public func valueIfAny<Value>(_ value: ScopeValue<Value>) throws(ScopeError) -> Value? {
        try self.valueIfAny(of: value.key)
    }

    /// Returns the value if this scope itself holds it, set or built; otherwise nil.
    ///
    /// It builds nothing. While a builder runs, the scope that it was given returns nil; what the builder is told by
    /// another scope is an input of its value.
    ///
    /// ```swift
    /// #expect(request.localValue(for: ScopeValues.database) == nil)   // shared with the other requests
    /// ```
    public func localValue<Value>(for value: ScopeValue<Value>) -> Value? { localValue(of: value.key) }

    /// Returns what this scope would see if it neither set nor provided the value itself: its parent's value, else
    /// the default.
    ///
    /// Use it in a provided builder to decorate the value of the scopes further out. There it is what is seen past the scope
    /// that provided the builder, whichever scope asked. The inherited value is an input like any other: when it changes, the
    /// decorated value is built again.
    ///
    /// ```swift
    /// app.provide(ScopeValues.logger) { scope in try scope.inherited(ScopeValues.logger).tagged("app") }
    /// ```
    ///
    /// - Throws: ``ScopeError``, like `value(for:)`.
    public func inherited<Value>(_ value: ScopeValue<Value>) throws(ScopeError) -> Value {
        try inherited(of: value.key)
    }

    /// Checks that each of the values resolves, and builds those that are not built yet.
    ///
    /// Call it when the program starts, so that a missing setting is found before the first request.
    ///
    /// ```swift
    /// try app.validate(ScopeValues.database, ScopeValues.token)
    /// ```
    ///
    /// A builder that reads a missing value through a property ends the program, because a property cannot throw.
    /// Read with `value(for:)` in builders to have the error reported here.
    ///
    /// - Throws: The ``ScopeError`` of the value that does not resolve. If there are several, it is one error that
    ///   has all of them in ``ScopeError/failures``.
    public func validate<each Value>(_ values: repeat ScopeValue<each Value>) throws(ScopeError) {
        var keys: [ValueKey] = []
        for value in repeat each values { keys.append(value.valueKey) }
        try validate(keys)
    }

    /// Checks that each value that is provided in this scope, or further out, resolves, and builds those that are not built
    /// yet.
    ///
    /// ```swift
    /// try app.validate()
    /// ```
    ///
    /// A builder that reads a missing value through a property ends the program. Read with `value(for:)` in builders. If a
    /// builder calls it, its value is built again after any change, and on the scope it was given also for each asking scope.
    ///
    /// - Throws: The ``ScopeError`` of the value that does not resolve. If there are several, it is one error that
    ///   has all of them in ``ScopeError/failures``.
    public func validate() throws(ScopeError) {
        recordOverview()
        try validate(target?.providedKeys ?? [])
    }

    // MARK: Setting

    /// Provides a builder for the value, for this scope and those below it.
    ///
    /// Use it for a value that is expensive, or that needs other values. It replaces the value's own builder: it runs
    /// when the value is first read, and sees its inputs as the asking scope does. What it builds is kept in this
    /// scope or below. If this scope both sets and provides the value, the later call counts.
    ///
    /// ```swift
    /// app.provide(ScopeValues.database) { scope in try SQLite(path: scope.databasePath) }
    /// ```
    ///
    /// The builder should use the scope that it is given. If it captures this scope, the two keep each other alive. What it
    /// throws is the reason of the error ``ScopeError/Code/makeFailed``; a ``ScopeError`` is passed on. Called on the scope that
    /// a builder was given, `provide` ends the program.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - fileID: The file of the call, for error texts.
    ///   - line: The line of the call, for error texts.
    ///   - make: Builds the value from what its scope sees.
    public func provide<Value>(
        _ value: ScopeValue<Value>,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        provide(value.key, fileID, line, make)
    }

    /// Removes the value that is set, provided or kept in this scope, which then sees its parent's value.
    ///
    /// ```swift
    /// request.removeValue(for: ScopeValues.user)
    /// ```
    ///
    /// Called on the scope that a builder was given, it ends the program.
    ///
    /// - Returns: The value that was set or kept here. If several threads remove it at once, one of them gets it.
    @discardableResult
    public func removeValue<Value>(for value: ScopeValue<Value>) -> Value? { removeValue(of: value.key) }

    /// Removes all values that are set, provided or kept in this scope, and its aliases.
    ///
    /// ```swift
    /// test.removeAll()
    /// ```
    ///
    /// Called on the scope that a builder was given, it ends the program.
    public func removeAll() {
        let scope = changeable("Removing all values")
        if let node = scope.node { Changing.removeAll(in: node) }
        scope.watchOfChildren?.noteRemoved(nil, from: scope)
    }

    /// Sets a value and returns the scope, so that calls can be chained.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: nil).with(ScopeValues.port, 9090)
    /// ```
    ///
    /// Called on the scope that a builder was given, it ends the program.
    @discardableResult
    public func with<Value>(_ value: ScopeValue<Value>, _ newValue: Value) -> Self {
        set(newValue, for: value.key)
        return self
    }

    /// Sets a value through a property and returns the scope, so that calls can be chained.
    ///
    /// Use it for properties declared on ``EnvironmentScope``, and for longer paths.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: nil).with(\.settings.url, url)
    /// ```
    ///
    /// For a longer path it reads the first part, changes a copy and sets the copy. A property that converts is read before
    /// it is set, as the language has it for key paths. So where the value behind it is missing or forbidden, or dear to
    /// build, assign to the property instead. The read and the set are two steps: if two threads take them at once, one change
    /// may be lost. Called on the scope that a builder was given, it ends the program.
    @discardableResult
    public func with<Value>(
        _ property: ReferenceWritableKeyPath<EnvironmentScope, Value>,
        _ value: Value
    ) -> Self {
        PathAssignment.assign(value, to: property, of: self)
        return self
    }

    /// Makes one value an alias of another, for this scope and those below it.
    ///
    /// A read of the first value returns the second one, and setting, providing or removing the first concerns the
    /// second. A scope further in that had said something of the first value before it came below the alias is not
    /// affected. ``removeAll()`` removes the aliases that the scope itself has. Use it for an alias that is chosen at run time.
    /// If the alias is known when the code is written, a property in an extension of ``EnvironmentScope`` is better:
    /// `var main: Queue { get { self.mainQueue } set { self.mainQueue = newValue } }`.
    ///
    /// ```swift
    /// scope.alias(ScopeValues.primary, to: ScopeValues.replica)
    /// ```
    ///
    /// An alias that closes a circle ends the program. If a new parent, or an alias that is declared further out, closes it
    /// later, `value(for:)` throws along it; properties, and setting, providing and removing, end the program. Called on the
    /// scope that a builder was given, it ends the program too.
    public func alias<Value>(
        _ value: ScopeValue<Value>,
        to other: ScopeValue<Value>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        alias(value.key, other.key, fileID, line)
    }
}
