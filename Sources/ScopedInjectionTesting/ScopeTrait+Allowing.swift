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
    ///   - parent: The scope that gives what the case's scope does not have, evaluated for each case, and closed after it if nobody else
    ///     holds it; nil for none, also where a suite's trait names one.
    ///   - defaults: Whether defaults of values may be used. Where no trait says it they are given and reported, or are
    ///     forbidden if the parent forbids them.
    ///   - first: A value whose default the test may use.
    ///   - rest: More such values.
    ///   - strictness: How the reports count that are no failures by themselves; see ``ScopeStrictness``. Nil leaves it to the suites around the test.
    ///   - closingWithin: How long the cleanups may take after the test; what has not ended then fails it, by its name. Where no trait
    ///     says it, ten seconds.
    ///   - configure: Sets the values. The scope is current meanwhile. What it throws fails the test before it starts.
    public static func scope<First, each Rest>(
        _ name: String? = nil,
        parent: @autoclosure @escaping @Sendable () -> EnvironmentScope? = ScopeTrait.unnamed,
        defaults: DefaultsPolicy? = nil,
        allowing first: ValueName<First>,
        _ rest: repeat ValueName<each Rest>,
        strictness: ScopeStrictness? = nil,
        closingWithin: Duration? = nil,
        _ configure: @escaping @Sendable (EnvironmentScope) async throws -> Void = { _ in }
    ) -> ScopeTrait {
        let trait = Self.scope(
            name,
            parent: parent(),
            defaults: defaults,
            strictness: strictness,
            closingWithin: closingWithin,
            configure
        )
        return trait.allowing(first(ScopeValues.self), repeat (each rest)(ScopeValues.self))
    }

    /// Gives each case the scopes of an application and of a request, and allows the defaults of the named values.
    ///
    /// See ``scope(_:parent:request:defaults:strictness:closingWithin:_:)`` for the two scopes.
    ///
    /// ```swift
    /// @Test(
    ///     .scope(request: { $0.user = nil }, allowing: \.limit) {
    ///         $0.database = InMemory()
    ///     }
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope; nil for the name of the test.
    ///   - parent: The scope that gives what the case's scope does not have, evaluated for each case, and closed after it if nobody else
    ///     holds it; nil for none, also where a suite's trait names one.
    ///   - request: Sets the values of the request, after those of the application.
    ///   - defaults: Whether defaults of values may be used. Where no trait says it they are given and reported, or are
    ///     forbidden if the parent forbids them.
    ///   - first: A value whose default the test may use.
    ///   - rest: More such values.
    ///   - strictness: How the reports count that are no failures by themselves; see ``ScopeStrictness``. Nil leaves it to the suites around the test.
    ///   - closingWithin: How long the cleanups may take after the test; what has not ended then fails it, by its name. Where no trait
    ///     says it, ten seconds.
    ///   - configure: Sets the values. The scope is current meanwhile. What it throws fails the test before it starts.
    public static func scope<First, each Rest>(
        _ name: String? = nil,
        parent: @autoclosure @escaping @Sendable () -> EnvironmentScope? = ScopeTrait.unnamed,
        request: @escaping @Sendable (EnvironmentScope) async throws -> Void,
        defaults: DefaultsPolicy? = nil,
        allowing first: ValueName<First>,
        _ rest: repeat ValueName<each Rest>,
        strictness: ScopeStrictness? = nil,
        closingWithin: Duration? = nil,
        _ configure: @escaping @Sendable (EnvironmentScope) async throws -> Void
    ) -> ScopeTrait {
        let trait = Self.scope(
            name,
            parent: parent(),
            request: request,
            defaults: defaults,
            strictness: strictness,
            closingWithin: closingWithin,
            configure
        )
        return trait.allowing(first(ScopeValues.self), repeat (each rest)(ScopeValues.self))
    }

    /// Gives each case the scope of a request, within one of the application, and allows the defaults of the named values.
    ///
    /// ```swift
    /// @Test(
    ///     .scope(
    ///         request: { $0.user = nil },
    ///         allowing: \.limit
    ///     )
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope; nil for the name of the test.
    ///   - parent: The scope that gives what the case's scope does not have, evaluated for each case, and closed after it if nobody else
    ///     holds it; nil for none, also where a suite's trait names one.
    ///   - request: Sets the values of the request, after those of the application.
    ///   - defaults: Whether defaults of values may be used. Where no trait says it they are given and reported, or are
    ///     forbidden if the parent forbids them.
    ///   - first: A value whose default the test may use.
    ///   - rest: More such values.
    ///   - strictness: How the reports count that are no failures by themselves; see ``ScopeStrictness``. Nil leaves it to the suites around the test.
    ///   - closingWithin: How long the cleanups may take after the test; what has not ended then fails it, by its name. Where no trait
    ///     says it, ten seconds.
    @_disfavoredOverload  // Or else the closure behind .scope might be the request.
    public static func scope<First, each Rest>(
        _ name: String? = nil,
        parent: @autoclosure @escaping @Sendable () -> EnvironmentScope? = ScopeTrait.unnamed,
        request: @escaping @Sendable (EnvironmentScope) async throws -> Void,
        defaults: DefaultsPolicy? = nil,
        allowing first: ValueName<First>,
        _ rest: repeat ValueName<each Rest>,
        strictness: ScopeStrictness? = nil,
        closingWithin: Duration? = nil
    ) -> ScopeTrait {
        let trait = Self.scope(
            name,
            parent: parent(),
            request: request,
            defaults: defaults,
            strictness: strictness,
            closingWithin: closingWithin,
            { _ in }
        )
        return trait.allowing(first(ScopeValues.self), repeat (each rest)(ScopeValues.self))
    }
}
