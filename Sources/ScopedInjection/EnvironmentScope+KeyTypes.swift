/// Values named by key types: see ``ScopeKey``.
extension EnvironmentScope {
    /// The value of a key, as this scope sees it; setting it overrides it here and below.
    ///
    /// Used to declare a property, and for families of values.
    ///
    /// ```swift
    /// extension EnvironmentScope {
    ///     var port: Int { get { self[PortKey.self] } set { self[PortKey.self] = newValue } }
    /// }
    /// ```
    ///
    /// A read that fails ends the program with the text of the ``ScopeError``; `value(for:)` throws it instead.
    public subscript<Key: ScopeKey>(key: Key.Type) -> Key.Value {
        get { read(KeyTypes.key(key)) }
        set { set(newValue, for: KeyTypes.key(key)) }
    }

    /// The value, as this scope sees it, or an error that says why there is none.
    ///
    /// ```swift
    /// let token = try scope.value(for: TokenKey.self)
    /// ```
    ///
    /// - Throws: ``ScopeError``, also where the builder of the value, or of one it needs, threw.
    public func value<Key: ScopeKey>(for key: Key.Type) throws(ScopeError) -> Key.Value {
        try value(of: KeyTypes.key(key))
    }

    /// The value, as this scope sees it; nil where nothing is set or provided and there is no default.
    ///
    /// ```swift
    /// if let token = try scope.valueIfAny(TokenKey.self) { connect(with: token) }
    /// ```
    ///
    /// - Throws: ``ScopeError`` for any other reason than that nobody said what the value is.
    public func valueIfAny<Key: ScopeKey>(_ key: Key.Type) throws(ScopeError) -> Key.Value? {
        try valueIfAny(of: KeyTypes.key(key))
    }

    /// The value that is set in this scope itself, or was built and is kept here; nil otherwise.
    ///
    /// Builds nothing. It is nil in a builder, for the scope that the builder is given.
    ///
    /// ```swift
    /// #expect(request.localValue(for: DatabaseKey.self) == nil)   // shared with the other requests
    /// ```
    public func localValue<Key: ScopeKey>(for key: Key.Type) -> Key.Value? { localValue(of: KeyTypes.key(key)) }

    /// What this scope would give if it said nothing of the value itself: what its parent sees, else the default.
    ///
    /// In a builder that was provided for a value, to decorate what lies outside of the scope it was provided in.
    ///
    /// ```swift
    /// app.provide(LoggerKey.self) { scope in try scope.inherited(LoggerKey.self).tagged("app") }
    /// ```
    ///
    /// - Throws: ``ScopeError``, like `value(for:)`.
    public func inherited<Key: ScopeKey>(_ key: Key.Type) throws(ScopeError) -> Key.Value {
        try inherited(of: KeyTypes.key(key))
    }

    /// Checks that every one of the values can be had, building those that are not there yet.
    ///
    /// ```swift
    /// try app.validate(DatabaseKey.self, TokenKey.self)
    /// ```
    ///
    /// - Throws: The ``ScopeError`` of the value that cannot be had; where several cannot, one error with all of them in
    ///   ``ScopeError/failures``.
    public func validate<each Key: ScopeKey>(_ keys: repeat (each Key).Type) throws(ScopeError) {
        var all: [ValueKey] = []
        for key in repeat each keys { all.append(KeyTypes.key(key)) }
        try validate(all)
    }

    /// Gives this scope, and those below it, a builder for the value.
    ///
    /// The builder takes the place of the value's own; what it builds is kept in this scope or below. Of a set value and a
    /// builder the later one stands.
    ///
    /// ```swift
    /// app.provide(DatabaseKey.self) { scope in try SQLite(path: "notes.db") }
    /// ```
    ///
    /// - Parameters:
    ///   - key: Names the value.
    ///   - fileID: Where the builder stands, for texts.
    ///   - line: Where the builder stands, for texts.
    ///   - make: Builds the value from what the scope it is given sees.
    public func provide<Key: ScopeKey>(
        _ key: Key.Type,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Key.Value
    ) {
        provide(KeyTypes.key(key), fileID, line, make)
    }

    /// Removes what is set, provided or kept of the value in this scope, which then sees what its parent sees.
    ///
    /// ```swift
    /// request.removeValue(for: UserKey.self)
    /// ```
    ///
    /// - Returns: The value that was set or kept here; of several threads that remove it, one is given it.
    @discardableResult
    public func removeValue<Key: ScopeKey>(for key: Key.Type) -> Key.Value? { removeValue(of: KeyTypes.key(key)) }

    /// Sets a value and gives the scope back, so that calls can follow each other.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: nil).with(PortKey.self, 9090)
    /// ```
    @discardableResult
    public func with<Key: ScopeKey>(_ key: Key.Type, _ newValue: Key.Value) -> Self {
        set(newValue, for: KeyTypes.key(key))
        return self
    }

    /// Makes reads of one value reads of another, from this scope down.
    ///
    /// As long as no nearer scope says something of the first value itself, a read of it gives the other's value, and to
    /// set it sets the other.
    ///
    /// An alias that closes a circle ends the program.
    public func alias<A: ScopeKey, B: ScopeKey>(
        _ key: A.Type,
        to other: B.Type,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) where A.Value == B.Value {
        alias(KeyTypes.key(key), KeyTypes.key(other), fileID, line)
    }

    /// Says where a value comes from, as this scope sees it, and what it was built from.
    ///
    /// ```swift
    /// print(request.explain(DatabaseKey.self))
    /// ```
    ///
    /// It builds nothing and changes nothing.
    public func explain<Key: ScopeKey>(_ key: Key.Type) -> Explanation { explain(KeyTypes.key(key)) }
}
