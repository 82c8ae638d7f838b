extension EnvironmentScope {
    /// Provides a builder for the value, for this scope and those below it.
    ///
    /// Use it for a value that is expensive, or that needs other values. It replaces the value's own builder: it runs when the
    /// value is first read, and sees its inputs as the asking scope does. What it builds is kept in this scope or below. If this
    /// scope both sets and provides the value, the later call counts. The scope's decorations stay, over the new builder.
    ///
    /// ```swift
    /// app.provide(\.database) { try Pool(path: $0.databasePath) }
    /// ```
    ///
    /// What the builder throws is the reason of the error ``ScopeError/Code/makeFailed``; a ``ScopeError`` is passed on. A builder
    /// that captures this scope keeps it alive for good.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - fileID: The file of the call, for texts.
    ///   - line: The line of the call, for texts.
    ///   - make: Builds the value from what its reader gives.
    public func provide<Value>(
        _ value: ValueName<Value>,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (ScopeReader) throws -> Value
    ) {
        let key = value(ScopeValues.self).key
        Changing.provide(key, in: node, .given(SourcePlace(fileID: fileID, line: line)), make)
        tellOfSet(key.key)
    }

    /// Builds the value from what it would be without this call, for this scope and those below it.
    ///
    /// Use it to tag a logger, to wrap a client, or to let several modules each add to a collection. The builder is given what the
    /// asking scope would see: an earlier decoration of this scope, what the scope has set or provides, be it before or after this
    /// call, or else what lies further out, whose changes it follows. A later set in this scope replaces the decorations too, and
    /// ``removeValue(for:)`` removes them.
    ///
    /// ```swift
    /// app.decorate(\.plugins) { plugins, _ in plugins + [Audit()] }
    /// ```
    ///
    /// What the builder throws is the reason of the error ``ScopeError/Code/makeFailed``.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - fileID: The file of the call, for texts.
    ///   - line: The line of the call, for texts.
    ///   - make: Builds the value from the inherited one, and from what its reader gives.
    public func decorate<Value>(
        _ value: ValueName<Value>,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (Value, ScopeReader) throws -> Value
    ) {
        let key = value(ScopeValues.self).key
        Changing.decorate(key, in: node, SourcePlace(fileID: fileID, line: line), make)
        tellOfSet(key.key)
    }

    /// Changes a part of the value, for this scope and those below it.
    ///
    /// Use it for a partial override, of one endpoint of a client for example. It is a decoration: the other parts follow what the
    /// value would be without it, whenever that changes. An assignment, `scope.git.tags = …`, sets a copy instead.
    ///
    /// ```swift
    /// app.modify(\.git) { $0.tags = { ["1.0"] } }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - fileID: The file of the call, for texts.
    ///   - line: The line of the call, for texts.
    ///   - change: Changes the value; called when it is built.
    public func modify<Value>(
        _ value: ValueName<Value>,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ change: @escaping @Sendable (inout Value) -> Void
    ) {
        decorate(value, fileID: fileID, line: line) { inherited, _ in
            var changed = inherited
            change(&changed)
            return changed
        }
    }

    /// Removes the value that is set, provided or kept in this scope, with its decorations; the scope then sees its parent's value.
    ///
    /// ```swift
    /// request.removeValue(for: \.user)
    /// ```
    ///
    /// - Returns: The value that was set or kept here. If several threads remove it at once, one of them gets it.
    @discardableResult
    public func removeValue<Value>(for value: ValueName<Value>) -> Value? {
        let key = value(ScopeValues.self).valueKey
        var removed: Value?
        Changing.remove(key, in: node) { removed = $0.value(as: Value.self) }
        if node.isWatched { watch?.tellOfRemoval(key, from: self) }
        return removed
    }

    /// Lets go of values that this scope has built and keeps; the next read builds them anew.
    ///
    /// Use it when something has changed that no scope sees: a file, a certificate. Without arguments it lets go of all that the scope
    /// has built. What was set or provided stays, and so do the scope's own cleanups. What scopes further in have built from the values
    /// is built anew when it is next read there; what has begun (``ValueLifetime/once(in:)``) stays unless it is named.
    ///
    /// ```swift
    /// await app.discardBuiltValues(\.database, \.git)
    /// ```
    ///
    /// The values end when nobody holds them: what was built from them, a build under way, a body that runs further in. It returns when
    /// the ends have run that nobody holds, whether or not the task is cancelled, so it can be called anywhere.
    public nonisolated(nonsending) func discardBuiltValues<each Value>(_ values: repeat ValueName<each Value>) async {
        let keys = keys(of: repeat (each values)(ScopeValues.self))
        let ends = keys.isEmpty ? Changing.discardAll(in: node) : keys.flatMap { Changing.discard($0, in: node) }
        await waitForEnds(ends) { key in keys.isEmpty || keys.contains { $0 == key } }
    }

    /// Sets a value and returns the scope, so that calls can be chained.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: nil)
    ///     .with(\.port, 9090)
    /// ```
    @discardableResult
    public func with<Value>(_ value: ValueName<Value>, _ newValue: Value) -> Self {
        set(newValue, for: value(ScopeValues.self))
        return self
    }

    /// Assigns through a longer path, and returns the scope.
    ///
    /// It does what the assignment does: it changes a copy of what this scope sees, and sets that here.
    ///
    /// ```swift
    /// let test = EnvironmentScope.empty("test", parent: app)
    ///     .with(\.settings.url, "http://localhost")
    /// ```
    @_disfavoredOverload
    @discardableResult
    public func with<Part>(_ path: ReferenceWritableKeyPath<EnvironmentScope, Part>, _ newPart: Part) -> Self {
        self[keyPath: path] = newPart
        return self
    }

    /// Provides another value for the value, for this scope and those below it.
    ///
    /// It is `provide(\.primary) { try $0.replica }`, in one word. So reads of the first value follow the second one, as the asking
    /// scope sees it, and what is set for the first concerns the first alone.
    ///
    /// ```swift
    /// scope.alias(\.primary, to: \.replica)
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value that is provided.
    ///   - other: The value that is read for it.
    ///   - fileID: The file of the call, for texts.
    ///   - line: The line of the call, for texts.
    public func alias<Value>(
        _ value: ValueName<Value>,
        to other: ValueName<Value>,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        let target = other(ScopeValues.self)
        provide(value, fileID: fileID, line: line) { try $0[target] }
    }
}
