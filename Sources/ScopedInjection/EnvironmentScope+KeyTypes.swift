/// Values named by key types: see ``ScopeKey``.
extension EnvironmentScope {
    /// The value of a key, as this scope sees it; setting it overrides it here and below.
    ///
    /// Use it to declare a property, and for families of values.
    ///
    /// ```swift
    /// extension EnvironmentScope {
    ///     var port: Int { get { self[PortKey.self] } set { self[PortKey.self] = newValue } }
    /// }
    /// ```
    ///
    /// A read that fails ends the program with the text of the ``ScopeError``; `value(for:)` throws it instead. Setting a value
    /// through the scope that a builder was given ends the program too.
    public subscript<Key: ScopeKey>(key: Key.Type) -> Key.Value {
        get { read(KeyTypes.key(key)) }
        set { set(newValue, for: KeyTypes.key(key)) }
    }

    /// Returns the value as this scope sees it, or throws an error that says why there is none.
    ///
    /// ```swift
    /// let token = try scope.value(for: TokenKey.self)
    /// ```
    ///
    /// - Throws: ``ScopeError``, also if the builder of the value, or of a value it needs, threw.
    public func value<Key: ScopeKey>(for key: Key.Type) throws(ScopeError) -> Key.Value {
        try value(of: KeyTypes.key(key))
    }

    /// Returns the value as this scope sees it, or nil if nothing is set or provided and there is no default.
    ///
    /// ```swift
    /// if let token = try scope.valueIfAny(TokenKey.self) { connect(with: token) }
    /// ```
    ///
    /// - Throws: ``ScopeError`` for any other failure. Where defaults are forbidden, that is the error
    ///   ``ScopeError/Code/defaultForbidden``, because a key type cannot say that it has no default.
    public func valueIfAny<Key: ScopeKey>(_ key: Key.Type) throws(ScopeError) -> Key.Value? {
        try valueIfAny(of: KeyTypes.key(key))
    }

    /// Returns the value if this scope itself holds it, set or built; otherwise nil.
    ///
    /// It builds nothing. While a builder runs, the scope that it was given returns nil; what the builder is told by
    /// another scope is an input of its value.
    ///
    /// ```swift
    /// #expect(request.localValue(for: DatabaseKey.self) == nil)   // shared with the other requests
    /// ```
    public func localValue<Key: ScopeKey>(for key: Key.Type) -> Key.Value? { localValue(of: KeyTypes.key(key)) }

    /// Returns what this scope would see if it neither set nor provided the value itself: its parent's value, else
    /// the default.
    ///
    /// Use it in a provided builder to decorate the value of the scopes further out. There it is what is seen past the scope
    /// that provided the builder, whichever scope asked.
    ///
    /// ```swift
    /// app.provide(LoggerKey.self) { scope in try scope.inherited(LoggerKey.self).tagged("app") }
    /// ```
    ///
    /// - Throws: ``ScopeError``, like `value(for:)`.
    public func inherited<Key: ScopeKey>(_ key: Key.Type) throws(ScopeError) -> Key.Value {
        try inherited(of: KeyTypes.key(key))
    }

    /// Checks that each of the values resolves, and builds those that are not built yet.
    ///
    /// ```swift
    /// try app.validate(DatabaseKey.self, TokenKey.self)
    /// ```
    ///
    /// A builder that reads a missing value through a property ends the program. Read with `value(for:)` in builders.
    ///
    /// - Throws: The ``ScopeError`` of the value that does not resolve. If there are several, it is one error that
    ///   has all of them in ``ScopeError/failures``.
    public func validate<each Key: ScopeKey>(_ keys: repeat (each Key).Type) throws(ScopeError) {
        var all: [ValueKey] = []
        for key in repeat each keys { all.append(KeyTypes.key(key).key) }
        try validate(all)
    }

    /// Provides a builder for the value, for this scope and those below it.
    ///
    /// It replaces the key's own builder. What it builds is kept in this scope or below. If this scope both sets and
    /// provides the value, the later call counts.
    ///
    /// ```swift
    /// app.provide(DatabaseKey.self) { scope in try SQLite(path: "notes.db") }
    /// ```
    ///
    /// What the builder throws is the reason of the error ``ScopeError/Code/makeFailed``. Called on the scope that a builder was
    /// given, `provide` ends the program.
    ///
    /// - Parameters:
    ///   - key: The key of the value.
    ///   - fileID: The file of the call, for error texts.
    ///   - line: The line of the call, for error texts.
    ///   - make: Builds the value from what its scope sees.
    public func provide<Key: ScopeKey>(
        _ key: Key.Type,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Key.Value
    ) {
        provide(KeyTypes.key(key), fileID, line, make)
    }

    /// Removes the value that is set, provided or kept in this scope, which then sees its parent's value.
    ///
    /// ```swift
    /// request.removeValue(for: UserKey.self)
    /// ```
    ///
    /// Called on the scope that a builder was given, it ends the program.
    ///
    /// - Returns: The value that was set or kept here. If several threads remove it at once, one of them gets it.
    @discardableResult
    public func removeValue<Key: ScopeKey>(for key: Key.Type) -> Key.Value? { removeValue(of: KeyTypes.key(key)) }

    /// Sets a value and returns the scope, so that calls can be chained.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: nil).with(PortKey.self, 9090)
    /// ```
    ///
    /// Called on the scope that a builder was given, it ends the program.
    @discardableResult
    public func with<Key: ScopeKey>(_ key: Key.Type, _ newValue: Key.Value) -> Self {
        set(newValue, for: KeyTypes.key(key))
        return self
    }

    /// Makes one value an alias of another, for this scope and those below it.
    ///
    /// A read of the first value returns the second one, and setting, providing or removing the first concerns the
    /// second. A scope further in that had said something of the first value before it came below the alias is not
    /// affected. ``removeAll()`` removes the aliases that the scope itself has.
    ///
    /// ```swift
    /// scope.alias(PrimaryKey.self, to: ReplicaKey.self)
    /// ```
    ///
    /// An alias that closes a circle ends the program, and so does one that is declared on the scope that a builder was given.
    public func alias<A: ScopeKey, B: ScopeKey>(
        _ key: A.Type,
        to other: B.Type,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) where A.Value == B.Value {
        alias(KeyTypes.key(key), KeyTypes.key(other), fileID, line)
    }

    /// Explains where a value comes from, as this scope sees it, and what it was built from.
    ///
    /// ```swift
    /// print(request.explain(DatabaseKey.self))
    /// ```
    ///
    /// It builds nothing and changes nothing.
    public func explain<Key: ScopeKey>(_ key: Key.Type) -> Explanation { explain(KeyTypes.key(key).key) }
}
