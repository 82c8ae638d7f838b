public import ScopedInjection
public import Testing

extension Trait where Self == ScopeTrait {
    /// Gives each case of a test a scope of its own: the same as `.scope()`.
    ///
    /// ```swift
    /// @Suite(.scope)
    /// struct ParserTests {}
    /// ```
    public static var scope: ScopeTrait { .scope() }

    /// Gives each case of a test a scope of its own, with the values that `configure` sets.
    ///
    /// Write it at a test, or at a suite for each of its tests.
    ///
    /// ```swift
    /// @Suite(.scope { $0.database = InMemory() })
    /// struct NoteStoreTests {
    ///     let store = NoteStore()
    ///
    ///     @Test(.scope { $0.user = User(name: "Ada") })
    ///     func startsEmpty() {
    ///         #expect(store.database.notes == [])
    ///         #expect(EnvironmentScope.current.user?.name == "Ada")
    ///     }
    /// }
    /// ```
    ///
    /// A default that the test reaches is given, and is a failure of the test at the line of the reference, once for each
    /// value. What is built from what the test has set is the test's own, and values that are safe in tests have no report.
    /// <doc:TestingWithScopes> says more, and what else is reported.
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope; nil for the name of the test.
    ///   - parent: The scope that gives what the case's scope does not have, evaluated for each case, and closed after it if nobody else
    ///     holds it; nil for none, also where a suite's trait names one.
    ///   - defaults: Whether defaults of values may be used. Where no trait says it they are given and reported, or are
    ///     forbidden if the parent forbids them.
    ///   - strictness: How the reports count that are no failures by themselves; see ``ScopeStrictness``. Nil leaves it to the suites around the test.
    ///   - closingWithin: How long the cleanups may take after the test; what has not ended then fails it, by its name. Where no trait
    ///     says it, ten seconds.
    ///   - configure: Sets the values. The scope is current meanwhile. What it throws fails the test before it starts.
    public static func scope(
        _ name: String? = nil,
        parent: @autoclosure @escaping @Sendable () -> EnvironmentScope? = ScopeTrait.unnamed,
        defaults: DefaultsPolicy? = nil,
        strictness: ScopeStrictness? = nil,
        closingWithin: Duration? = nil,
        _ configure: @escaping @Sendable (EnvironmentScope) async throws -> Void = { _ in }
    ) -> ScopeTrait {
        ScopeTrait(
            name: name,
            parent: parent,
            defaults: defaults,
            strictness: strictness,
            closingLimit: closingWithin,
            request: nil,
            configure: configure
        )
    }

    /// Gives each case of a test two scopes of its own: that of the application, and within it that of a request, which is current.
    ///
    /// Use it where a test stands for a request: what leaves that, a job, a timer, reads the application's scope, and finds there what it
    /// would find in production.
    ///
    /// ```swift
    /// @Test(
    ///     .scope(request: { $0.user = User(name: "Ada") }) {
    ///         $0.database = InMemory()
    ///     }
    /// )
    /// func mailsAsNobody() async {
    ///     let app = EnvironmentScope.current.parent
    ///     #expect(app?.user == nil)
    /// }
    /// ```
    ///
    /// See ``scope(_:parent:defaults:strictness:closingWithin:_:)`` for the other parameters.
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope; nil for the name of the test.
    ///   - parent: The scope that gives what the case's scope does not have, evaluated for each case, and closed after it if nobody else
    ///     holds it; nil for none, also where a suite's trait names one.
    ///   - request: Sets the values of the request, after those of the application.
    ///   - defaults: Whether defaults of values may be used. Where no trait says it they are given and reported, or are
    ///     forbidden if the parent forbids them.
    ///   - strictness: How the reports count that are no failures by themselves; see ``ScopeStrictness``. Nil leaves it to the suites around the test.
    ///   - closingWithin: How long the cleanups may take after the test; what has not ended then fails it, by its name. Where no trait
    ///     says it, ten seconds.
    ///   - configure: Sets the values. The scope is current meanwhile. What it throws fails the test before it starts.
    public static func scope(
        _ name: String? = nil,
        parent: @autoclosure @escaping @Sendable () -> EnvironmentScope? = ScopeTrait.unnamed,
        request: @escaping @Sendable (EnvironmentScope) async throws -> Void,
        defaults: DefaultsPolicy? = nil,
        strictness: ScopeStrictness? = nil,
        closingWithin: Duration? = nil,
        _ configure: @escaping @Sendable (EnvironmentScope) async throws -> Void
    ) -> ScopeTrait {
        ScopeTrait(
            name: name,
            parent: parent,
            defaults: defaults,
            strictness: strictness,
            closingLimit: closingWithin,
            request: request,
            configure: configure
        )
    }

    /// Gives each case of a test the scope of a request, within one of the application in which nothing is set.
    ///
    /// ```swift
    /// @Test(.scope(request: { $0.user = User(name: "Ada") }))
    /// func greets() {
    ///     #expect(EnvironmentScope.current.user?.name == "Ada")
    /// }
    /// ```
    ///
    /// See ``scope(_:parent:request:defaults:strictness:closingWithin:_:)`` for more.
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope; nil for the name of the test.
    ///   - parent: The scope that gives what the case's scope does not have, evaluated for each case, and closed after it if nobody else
    ///     holds it; nil for none, also where a suite's trait names one.
    ///   - request: Sets the values of the request, after those of the application.
    ///   - defaults: Whether defaults of values may be used. Where no trait says it they are given and reported, or are
    ///     forbidden if the parent forbids them.
    ///   - strictness: How the reports count that are no failures by themselves; see ``ScopeStrictness``. Nil leaves it to the suites around the test.
    ///   - closingWithin: How long the cleanups may take after the test; what has not ended then fails it, by its name. Where no trait
    ///     says it, ten seconds.
    @_disfavoredOverload  // Or else the closure behind .scope might be the request.
    public static func scope(
        _ name: String? = nil,
        parent: @autoclosure @escaping @Sendable () -> EnvironmentScope? = ScopeTrait.unnamed,
        request: @escaping @Sendable (EnvironmentScope) async throws -> Void,
        defaults: DefaultsPolicy? = nil,
        strictness: ScopeStrictness? = nil,
        closingWithin: Duration? = nil
    ) -> ScopeTrait {
        .scope(
            name,
            parent: parent(),
            request: request,
            defaults: defaults,
            strictness: strictness,
            closingWithin: closingWithin,
            { _ in }
        )
    }
}
