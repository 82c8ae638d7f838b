/// Values named by what reads and sets them: `\.port`.
extension EnvironmentScope {
    /// A value that is declared in ``ScopeValues``, as this scope sees it; setting it overrides it here and below.
    ///
    /// ```swift
    /// scope.port = 9090
    /// let database = scope.database
    /// ```
    ///
    /// A read that fails ends the program with the text of the ``ScopeError``; `value(for:)` throws it instead.
    @inlinable
    public subscript<Value>(dynamicMember path: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Value {
        get { self[ScopeValues.self[keyPath: path]] }
        set { self[ScopeValues.self[keyPath: path]] = newValue }
    }

    /// Only for the compiler's words about a member that is not there; cannot be called.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<ScopeValues, Value>) -> Value {
        fatalError("ScopeValues has no instances")
    }

    /// A value, as this scope sees it; setting it overrides it here and below.
    ///
    /// ```swift
    /// scope[\.port] = 9090
    /// ```
    public subscript<Value>(_ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Value {
        get { read(Self.key(value)) }
        set { set(newValue, for: Self.key(value)) }
    }

    /// The value, as this scope sees it, or an error that says why there is none.
    ///
    /// ```swift
    /// let token = try scope.value(for: \.token)
    /// ```
    ///
    /// - Throws: ``ScopeError``, also where the builder of the value, or of one it needs, threw.
    public func value<Value>(for value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) throws(ScopeError) -> Value {
        try self.value(of: Self.key(value))
    }

    /// The value, as this scope sees it; nil where nothing is set or provided and there is no default.
    ///
    /// ```swift
    /// if let token = try scope.valueIfAny(\.token) { connect(with: token) }
    /// ```
    ///
    /// - Throws: ``ScopeError`` for any other reason than that nobody said what the value is.
    public func valueIfAny<Value>(_ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) throws(ScopeError) -> Value? {
        try valueIfAny(of: Self.key(value))
    }

    /// The value that is set in this scope itself, or was built and is kept here; nil otherwise.
    ///
    /// Builds nothing. It is nil in a builder, for the scope that the builder is given.
    ///
    /// ```swift
    /// #expect(request.localValue(for: \.database) == nil)   // shared with the other requests
    /// ```
    public func localValue<Value>(for value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Value? {
        localValue(of: Self.key(value))
    }

    /// What this scope would give if it said nothing of the value itself: what its parent sees, else the default.
    ///
    /// In a builder that was provided for a value, to decorate what lies outside of the scope it was provided in.
    ///
    /// ```swift
    /// app.provide(\.logger) { scope in try scope.inherited(\.logger).tagged("app") }
    /// ```
    ///
    /// - Throws: ``ScopeError``, like `value(for:)`.
    public func inherited<Value>(_ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) throws(ScopeError) -> Value {
        try inherited(of: Self.key(value))
    }

    /// Checks that every one of the values can be had, building those that are not there yet.
    ///
    /// Call it when the program starts, so that a setting that is missing is known before the first request.
    ///
    /// ```swift
    /// try app.validate(\.database, \.token)
    /// ```
    ///
    /// - Throws: The ``ScopeError`` of the value that cannot be had; where several cannot, one error with all of them in
    ///   ``ScopeError/failures``.
    public func validate<each Value>(
        _ values: repeat KeyPath<ScopeValues.Type, ScopeValue<each Value>>
    ) throws(ScopeError) {
        var keys: [ValueKey] = []
        for value in repeat each values { keys.append(Self.key(value)) }
        try validate(keys)
    }

    /// Gives this scope, and those below it, a builder for the value.
    ///
    /// The builder takes the place of the value's own; what it builds is kept in this scope or below. Of a set value and a
    /// builder the later one stands.
    ///
    /// ```swift
    /// app.provide(\.database) { scope in try SQLite(path: "notes.db") }
    /// ```
    ///
    /// - Parameters:
    ///   - value: Names the value.
    ///   - fileID: Where the builder stands, for texts.
    ///   - line: Where the builder stands, for texts.
    ///   - make: Builds the value from what the scope it is given sees.
    public func provide<Value>(
        _ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        provide(Self.key(value), fileID, line, make)
    }

    /// Removes what is set, provided or kept of the value in this scope, which then sees what its parent sees.
    ///
    /// ```swift
    /// request.removeValue(for: \.user)
    /// ```
    ///
    /// - Returns: The value that was set or kept here; of several threads that remove it, one is given it.
    @discardableResult
    public func removeValue<Value>(for value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Value? {
        removeValue(of: Self.key(value))
    }

    /// Sets a value and gives the scope back, so that calls can follow each other.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: nil).with(\.port, 9090)
    /// ```
    @discardableResult
    public func with<Value>(_ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>, _ newValue: Value) -> Self {
        set(newValue, for: Self.key(value))
        return self
    }

    /// Makes reads of one value reads of another, from this scope down.
    ///
    /// As long as no nearer scope says something of the first value itself, a read of it gives the other's value, and to
    /// set it sets the other.
    ///
    /// An alias that closes a circle ends the program.
    public func alias<Value>(
        _ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>,
        to other: KeyPath<ScopeValues.Type, ScopeValue<Value>>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        alias(Self.key(value), Self.key(other), fileID, line)
    }

    /// Says where a value comes from, as this scope sees it, and what it was built from.
    ///
    /// ```swift
    /// print(request.explain(\.database))
    /// ```
    ///
    /// It builds nothing and changes nothing.
    public func explain<Value>(_ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Explanation {
        explain(Self.key(value))
    }

    private static func key<Value>(_ path: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> TypedKey<Value> {
        ScopeValues.self[keyPath: path].key
    }
}
