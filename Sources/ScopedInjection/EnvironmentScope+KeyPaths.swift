/// Values named by key paths: `\.port`.
extension EnvironmentScope {
    /// A value declared in ``ScopeValues``, as this scope sees it; setting it overrides it here and below.
    ///
    /// ```swift
    /// scope.port = 9090
    /// let database = scope.database
    /// ```
    ///
    /// A read that fails ends the program with the text of the ``ScopeError``; `value(for:)` throws it instead. Setting a value
    /// through the scope that a builder was given ends the program too. `scope.port += 1` is a read and a set: if two threads
    /// do that at once, one change may be lost.
    @inlinable
    public subscript<Value>(dynamicMember path: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Value {
        get { value(of: .passUnretained(ScopeValues.self[keyPath: path])) }
        set { set(newValue, for: .passUnretained(ScopeValues.self[keyPath: path])) }
    }

    // The caller's compiler would retain and release the object, for whose count all threads contend. It is never freed.

    @usableFromInline
    func value<Value>(of value: Unmanaged<ScopeValue<Value>>) -> Value {
        read(value._withUnsafeGuaranteedRef { $0.key })
    }

    @usableFromInline
    func set<Value>(_ newValue: Value, for value: Unmanaged<ScopeValue<Value>>) {
        set(newValue, for: value._withUnsafeGuaranteedRef { $0.key })
    }

    /// Improves the compiler's message for a mistyped member; a value that is declared without `static` ends the program
    /// here.
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<ScopeValues, Value>) -> Value {
        fatalError("A value in an extension of ScopeValues has to be static, because ScopeValues has no instances")
    }

    /// The value as this scope sees it; setting it overrides it here and below.
    ///
    /// ```swift
    /// scope[\.port] = 9090
    /// ```
    ///
    /// A read that fails, and setting a value through the scope that a builder was given, end the program.
    public subscript<Value>(_ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Value {
        get { read(Self.key(value)) }
        set { set(newValue, for: Self.key(value)) }
    }

    /// Returns the value as this scope sees it, or throws an error that says why there is none.
    ///
    /// ```swift
    /// let token = try scope.value(for: \.token)
    /// ```
    ///
    /// - Throws: ``ScopeError``, also if the builder of the value, or of a value it needs, threw.
    public func value<Value>(for value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) throws(ScopeError) -> Value {
        try self.value(of: Self.key(value))
    }

    /// Returns the value as this scope sees it, or nil if nothing is set or provided and there is no default.
    ///
    /// ```swift
    /// if let token = try scope.valueIfAny(\.token) { connect(with: token) }
    /// ```
    ///
    /// - Throws: ``ScopeError`` for any other failure.
    public func valueIfAny<Value>(_ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) throws(ScopeError) -> Value? {
        try valueIfAny(of: Self.key(value))
    }

    /// Returns the value if this scope itself holds it, set or built; otherwise nil.
    ///
    /// It builds nothing. While a builder runs, the scope that it was given returns nil; what the builder is told by
    /// another scope is an input of its value.
    ///
    /// ```swift
    /// #expect(request.localValue(for: \.database) == nil)   // shared with the other requests
    /// ```
    public func localValue<Value>(for value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Value? {
        localValue(of: Self.key(value))
    }

    /// Returns what this scope would see if it neither set nor provided the value itself: its parent's value, else
    /// the default.
    ///
    /// Use it in a provided builder to decorate the value of the scopes further out. There it is what is seen past the scope
    /// that provided the builder, whichever scope asked.
    ///
    /// ```swift
    /// app.provide(\.logger) { scope in try scope.inherited(\.logger).tagged("app") }
    /// ```
    ///
    /// - Throws: ``ScopeError``, like `value(for:)`.
    public func inherited<Value>(_ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) throws(ScopeError) -> Value {
        try inherited(of: Self.key(value))
    }

    /// Checks that each of the values resolves, and builds those that are not built yet.
    ///
    /// Call it when the program starts, so that a missing setting is found before the first request.
    ///
    /// ```swift
    /// try app.validate(\.database, \.token)
    /// ```
    ///
    /// A builder that reads a missing value through a property ends the program. Read with `value(for:)` in builders.
    ///
    /// - Throws: The ``ScopeError`` of the value that does not resolve. If there are several, it is one error that
    ///   has all of them in ``ScopeError/failures``.
    public func validate<each Value>(
        _ values: repeat KeyPath<ScopeValues.Type, ScopeValue<each Value>>
    ) throws(ScopeError) {
        var keys: [ValueKey] = []
        for value in repeat each values { keys.append(Self.key(value).key) }
        try validate(keys)
    }

    /// Provides a builder for the value, for this scope and those below it.
    ///
    /// It replaces the value's own builder. What it builds is kept in this scope or below. If this scope both sets
    /// and provides the value, the later call counts.
    ///
    /// ```swift
    /// app.provide(\.database) { scope in try SQLite(path: "notes.db") }
    /// ```
    ///
    /// What the builder throws is the reason of the error ``ScopeError/Code/makeFailed``. Called on the scope that a builder was
    /// given, `provide` ends the program.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - fileID: The file of the call, for error texts.
    ///   - line: The line of the call, for error texts.
    ///   - make: Builds the value from what its scope sees.
    public func provide<Value>(
        _ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        provide(Self.key(value), fileID, line, make)
    }

    /// Removes the value that is set, provided or kept in this scope, which then sees its parent's value.
    ///
    /// ```swift
    /// request.removeValue(for: \.user)
    /// ```
    ///
    /// Called on the scope that a builder was given, it ends the program.
    ///
    /// - Returns: The value that was set or kept here. If several threads remove it at once, one of them gets it.
    @discardableResult
    public func removeValue<Value>(for value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Value? {
        removeValue(of: Self.key(value))
    }

    /// Sets a value and returns the scope, so that calls can be chained.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: nil).with(\.port, 9090)
    /// ```
    ///
    /// Called on the scope that a builder was given, it ends the program.
    @discardableResult
    public func with<Value>(_ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>, _ newValue: Value) -> Self {
        set(newValue, for: Self.key(value))
        return self
    }

    /// Makes one value an alias of another, for this scope and those below it.
    ///
    /// A read of the first value returns the second one, and setting, providing or removing the first concerns the
    /// second. A scope further in that had said something of the first value before it came below the alias is not
    /// affected. ``removeAll()`` removes the aliases that the scope itself has.
    ///
    /// ```swift
    /// scope.alias(\.primary, to: \.replica)
    /// ```
    ///
    /// An alias that closes a circle ends the program, and so does one that is declared on the scope that a builder was given.
    public func alias<Value>(
        _ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>,
        to other: KeyPath<ScopeValues.Type, ScopeValue<Value>>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        alias(Self.key(value), Self.key(other), fileID, line)
    }

    /// Explains where a value comes from, as this scope sees it, and what it was built from.
    ///
    /// ```swift
    /// print(request.explain(\.database))
    /// ```
    ///
    /// It builds nothing and changes nothing.
    public func explain<Value>(_ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Explanation {
        explain(Self.key(value).key)
    }

    private static func key<Value>(_ path: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> TypedKey<Value> {
        ScopeValues.self[keyPath: path].key
    }
}
