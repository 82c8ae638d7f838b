public import ScopedInjection
public import Testing

extension Trait where Self == ScopeTrait {
    /// Gives each case a scope of its own, and allows the defaults of values named by key path.
    ///
    /// Use it where a test needs a live default. What the suites around the test allow is allowed, too.
    ///
    /// ```swift
    /// @Test(
    ///     .scope(defaults: .forbidden, allowing: \.limit, \.unit) {
    ///         $0.database = InMemory()
    ///     }
    /// )
    /// ```
    ///
    /// See ``scope(_:parent:defaults:strictness:_:)`` for more about the other parameters.
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope; nil for the name of the test.
    ///   - parent: The scope that gives what the case's scope does not have, evaluated for each case.
    ///   - defaults: Whether defaults of values may be used; nil for what the parent says.
    ///   - first: A value whose default the test may use.
    ///   - rest: More such values.
    ///   - strictness: How the reports count that are no failures by themselves.
    ///   - configure: Sets the values. What it throws fails the test before it starts.
    public static func scope<First, each Rest>(
        _ name: String? = nil,
        parent: @autoclosure @escaping @Sendable () -> EnvironmentScope? = nil,
        defaults: DefaultsPolicy? = nil,
        allowing first: KeyPath<ScopeValues.Type, ScopeValue<First>>,
        _ rest: repeat KeyPath<ScopeValues.Type, ScopeValue<each Rest>>,
        strictness: ScopeStrictness = ScopeStrictness(),
        _ configure: @escaping @Sendable (EnvironmentScope) async throws -> Void = { _ in }
    ) -> ScopeTrait {
        var allowed: [ValueKey] = [ScopeValues.self[keyPath: first].valueKey]
        for value in repeat each rest { allowed.append(ScopeValues.self[keyPath: value].valueKey) }
        return ScopeTrait(
            name: name,
            parent: parent,
            defaults: defaults,
            allowed: allowed,
            strictness: strictness,
            configure: configure
        )
    }

    /// Gives each case a scope of its own, and allows the defaults of values given as a `ScopeValue`.
    ///
    /// Use it for values that are in a constant, or that are declared elsewhere than in `ScopeValues`.
    ///
    /// ```swift
    /// @Test(
    ///     .scope(defaults: .forbidden, allowing: ScopeValues.limit) {
    ///         $0.database = InMemory()
    ///     }
    /// )
    /// ```
    ///
    /// See ``scope(_:parent:defaults:strictness:_:)`` for more about the other parameters.
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope; nil for the name of the test.
    ///   - parent: The scope that gives what the case's scope does not have, evaluated for each case.
    ///   - defaults: Whether defaults of values may be used; nil for what the parent says.
    ///   - first: A value whose default the test may use.
    ///   - rest: More such values.
    ///   - strictness: How the reports count that are no failures by themselves.
    ///   - configure: Sets the values. What it throws fails the test before it starts.
    public static func scope<First, each Rest>(
        _ name: String? = nil,
        parent: @autoclosure @escaping @Sendable () -> EnvironmentScope? = nil,
        defaults: DefaultsPolicy? = nil,
        allowing first: ScopeValue<First>,
        _ rest: repeat ScopeValue<each Rest>,
        strictness: ScopeStrictness = ScopeStrictness(),
        _ configure: @escaping @Sendable (EnvironmentScope) async throws -> Void = { _ in }
    ) -> ScopeTrait {
        var allowed: [ValueKey] = [first.valueKey]
        for value in repeat each rest { allowed.append(value.valueKey) }
        return ScopeTrait(
            name: name,
            parent: parent,
            defaults: defaults,
            allowed: allowed,
            strictness: strictness,
            configure: configure
        )
    }

    /// Gives each case a scope of its own, and allows the defaults of values that are key types.
    ///
    /// Use it for values that are key types.
    ///
    /// ```swift
    /// @Test(
    ///     .scope(defaults: .forbidden, allowing: PortKey.self) {
    ///         $0.database = InMemory()
    ///     }
    /// )
    /// ```
    ///
    /// See ``scope(_:parent:defaults:strictness:_:)`` for more about the other parameters.
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope; nil for the name of the test.
    ///   - parent: The scope that gives what the case's scope does not have, evaluated for each case.
    ///   - defaults: Whether defaults of values may be used; nil for what the parent says.
    ///   - first: A value whose default the test may use.
    ///   - rest: More such values.
    ///   - strictness: How the reports count that are no failures by themselves.
    ///   - configure: Sets the values. What it throws fails the test before it starts.
    public static func scope<First: ScopeKey, each Rest: ScopeKey>(
        _ name: String? = nil,
        parent: @autoclosure @escaping @Sendable () -> EnvironmentScope? = nil,
        defaults: DefaultsPolicy? = nil,
        allowing first: First.Type,
        _ rest: repeat (each Rest).Type,
        strictness: ScopeStrictness = ScopeStrictness(),
        _ configure: @escaping @Sendable (EnvironmentScope) async throws -> Void = { _ in }
    ) -> ScopeTrait {
        var allowed: [ValueKey] = [ValueKey.key(of: first)]
        for value in repeat each rest { allowed.append(ValueKey.key(of: value)) }
        return ScopeTrait(
            name: name,
            parent: parent,
            defaults: defaults,
            allowed: allowed,
            strictness: strictness,
            configure: configure
        )
    }
}
