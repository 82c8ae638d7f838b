public import ScopedInjection
public import Testing

extension Trait where Self == ScopeTrait {
    /// Gives each case a scope of its own, and allows the defaults of the named values.
    ///
    /// Use it where a test needs a live default. What the suites around the test allow is allowed, too. A closure names a value of a
    /// family: `{ $0.flag("beta") }`.
    ///
    /// ```swift
    /// @Test(
    ///     .scope(allowing: \.limit, \.unit) {
    ///         $0.database = InMemory()
    ///     }
    /// )
    /// ```
    ///
    /// See ``scope(_:parent:defaults:strictness:closingWithin:_:)`` for more about the other parameters.
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope; nil for the name of the test.
    ///   - parent: The scope that gives what the case's scope does not have, evaluated for each case.
    ///   - defaults: Whether the defaults of the other values may be used.
    ///   - first: A value whose default the test may use.
    ///   - rest: More such values.
    ///   - strictness: How the reports count that are no failures by themselves.
    ///   - closingWithin: How long the cleanups may take after the test.
    ///   - configure: Sets the values. What it throws fails the test before it starts.
    public static func scope<First, each Rest>(
        _ name: String? = nil,
        parent: @autoclosure @escaping @Sendable () -> EnvironmentScope? = nil,
        defaults: DefaultsPolicy? = nil,
        allowing first: ValueName<First>,
        _ rest: repeat ValueName<each Rest>,
        strictness: ScopeStrictness? = nil,
        closingWithin: Duration? = nil,
        _ configure: @escaping @Sendable (EnvironmentScope) async throws -> Void = { _ in }
    ) -> ScopeTrait {
        var allowed: [ValueKey] = [first(ScopeValues.self).valueKey]
        for value in repeat each rest { allowed.append(value(ScopeValues.self).valueKey) }
        return ScopeTrait(
            name: name,
            parent: parent,
            defaults: defaults,
            allowed: allowed,
            strictness: strictness,
            closingLimit: closingWithin,
            configure: configure
        )
    }
}
