extension EnvironmentScope {
    /// A value declared in ``ScopeValues``, as this scope sees it; setting it overrides it here and below.
    ///
    /// ```swift
    /// scope.port = 9090
    /// let database = scope.database
    /// ```
    ///
    /// A read returns the value of the nearest scope that has one, or else builds it (see ``ScopeValue``). Setting nil counts as
    /// setting. A read that fails ends the program with the text of the ``ScopeError``; `value(for:)` throws it instead.
    /// `scope.port += 1` is a read and a set: if two threads do that at once, one change may be lost.
    @inlinable
    public subscript<Value>(dynamicMember path: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Value {
        get { read(ScopeValues.self[keyPath: path]) }
        set { set(newValue, for: ScopeValues.self[keyPath: path]) }
        // Only by this is a change of a part known from a read; otherwise it is a read and a set.
        _modify {
            let declared = ScopeValues.self[keyPath: path]
            var value = readForPart(declared)
            defer { set(value, for: declared) }
            yield &value
        }
    }

    @usableFromInline
    func readForPart<Value>(_ value: ScopeValue<Value>) -> Value {
        let thread = ThreadState.current
        let around = thread.pointee.activity.isChangingPart
        thread.pointee.activity.isChangingPart = true
        defer { thread.pointee.activity.isChangingPart = around }
        return read(value)
    }

    @usableFromInline
    func read<Value>(_ value: ScopeValue<Value>) -> Value { read(value.key) }

    @usableFromInline
    func set<Value>(_ newValue: Value, for value: ScopeValue<Value>) {
        Changing.set(newValue, for: value.valueKey, in: node)
        tellOfSet(value.valueKey)
    }

    /// Improves the compiler's message for a mistyped member, and for a value that is declared without `static`; cannot be called.
    @available(*, unavailable)
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<ScopeValues, Value>) -> Value { fatalError("not static") }

    /// A value of a family, as this scope sees it; setting it overrides it here and below.
    ///
    /// ```swift
    /// app[ScopeValues.flag("beta")] = true
    /// ```
    ///
    /// A read that fails ends the program; `value(for:)` throws instead.
    public subscript<Value>(_ value: ScopeValue<Value>) -> Value {
        get { read(value) }
        set { set(newValue, for: value) }
    }

    /// Returns the value as this scope sees it, or throws an error that says why there is none.
    ///
    /// ```swift
    /// let token = try scope.value(for: \.token)
    /// ```
    ///
    /// - Throws: ``ScopeError``, also if the builder of the value, or of a value it needs, threw.
    public func value<Value>(for value: ValueName<Value>) throws(ScopeError) -> Value {
        try self.value(of: value(ScopeValues.self).key)
    }

    /// Returns the value as this scope sees it, or nil if nothing is set or provided and there is no default.
    ///
    /// ```swift
    /// if let token = try scope.valueIfAny(for: \.token) {
    ///     connect(with: token)
    /// }
    /// ```
    ///
    /// - Throws: ``ScopeError`` for any other failure.
    public func valueIfAny<Value>(for value: ValueName<Value>) throws(ScopeError) -> Value? {
        do throws(ScopeError) { return try self.value(for: value) } catch { return try error.asNil(node) }
    }

    /// Returns the value if this scope itself holds it, set or built; otherwise nil.
    ///
    /// It builds nothing. A constant that nobody has set is held by no scope.
    ///
    /// ```swift
    /// // Shared with the other requests.
    /// #expect(request.localValue(for: \.database) == nil)
    /// ```
    public func localValue<Value>(for value: ValueName<Value>) -> Value? {
        let key = value(ScopeValues.self).key
        return node.whileReading {
            guard let cell = Look.find(key.address, from: node).ownCell else { return nil }
            return cell.value(as: Value.self)
        }
    }

    /// Checks that each of the values resolves, and builds those that are not built yet.
    ///
    /// Call it when the program starts, so that a missing setting is found before the first request. For a request, there is
    /// ``validateChild(_:role:of:options:_:)``.
    ///
    /// ```swift
    /// try app.validate(\.database, \.token)
    /// ```
    ///
    /// Without arguments it checks what is provided in this scope, or further out. Then it begins nothing that stays
    /// (``ValueLifetime/once(in:)``), and leaves out what cannot be built without that, or only in a scope of a role that no scope here
    /// has.
    ///
    /// - Throws: The ``ScopeError`` of the value that does not resolve. If there are several, it is one error that
    ///   has all of them in ``ScopeError/failures``.
    public func validate<each Value>(_ values: repeat ValueName<each Value>) throws(ScopeError) {
        let keys = keys(of: repeat (each values)(ScopeValues.self))
        if keys.isEmpty { return try validateProvided() }
        try ScopeError.throwAll(build(keys))
    }

    private func validateProvided() throws(ScopeError) {
        let thread = ThreadState.current
        let around = thread.pointee.activity.beginsNothing
        thread.pointee.activity.beginsNothing = true
        defer { thread.pointee.activity.beginsNothing = around }
        let failures = build(providedKeys.filter { $0.role == nil })
        try ScopeError.throwAll(failures.filter { $0.code != .roleMissing })
    }

    /// Builds each of the values, and awaits those that are ``Deferred``, all at the same time.
    ///
    /// Call it when a server starts: it finds what is wrong, and lets no request wait for what it has built.
    ///
    /// ```swift
    /// try await app.prepare(\.database, \.connection)
    /// ```
    ///
    /// Without arguments it builds what is provided in this scope, or further out, and so starts what modules have provided. A value
    /// that has only the builder of its declaration is not provided: name it. What is for a role that no scope here has is left out
    /// then. Builders run one after the other. After a failure all else is built, and nothing is closed: it belongs to the scope.
    /// Another call makes what failed. With a limit, a start that hangs says what has failed, and names what is not made:
    ///
    /// ```swift
    /// try await app.prepare(within: .seconds(20))
    /// ```
    ///
    /// - Parameters:
    ///   - values: What is built; without any, all that is provided.
    ///   - limit: How long deferred values are awaited, after all builders have run; nil for as long as they take. What is not made then
    ///     is an error of the code ``ScopeError/Code/invalid``, and goes on to be made.
    /// - Throws: The ``ScopeError`` of the value that failed. If there are several, it is one error that has all of them in
    ///   ``ScopeError/failures``; what failed because of another one of them is not listed. A `CancellationError` if the task is
    ///   cancelled meanwhile; what is being made goes on, and belongs to the scope.
    public nonisolated(nonsending) func prepare<each Value>(
        _ values: repeat ValueName<each Value>,
        within limit: Duration? = nil
    ) async throws {
        let keys = keys(of: repeat (each values)(ScopeValues.self))
        try await prepare(keys.isEmpty ? providedKeys : keys, isNamed: !keys.isEmpty, within: limit)
    }

    /// The keys of the values that an operation is given.
    ///
    /// It is not given their names: where a pack of closures is passed on, the compiler lets go of one that nobody has retained.
    func keys<each Value>(of values: repeat ScopeValue<each Value>) -> [ValueKey] {
        var keys: [ValueKey] = []
        for value in repeat each values { keys.append(value.valueKey) }
        return keys
    }
}
