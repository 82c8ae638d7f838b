/// Declarations with a value that scopes which forbid or report defaults give instead, as those of tests do.
///
/// They do so in a process that runs tests only: in a program that value is never given.
/// It is an expression, evaluated for each standalone scope that reads it, so that tests share none. It reads no other values;
/// a builder that does is given as `makeInTests:`.
extension ScopeValue {
    /// A value whose default is a constant, and another one in tests.
    ///
    /// ```swift
    /// static var retries: ScopeValue<Int> { .value(5, inTests: 0) }
    /// ```
    ///
    /// - Parameters:
    ///   - value: The constant, evaluated once in the program.
    ///   - testValue: Evaluated once for each scope that keeps it, which is a test's own.
    ///   - id: Tells the values of a family from each other; left out for a single value.
    ///   - name: The name in texts.
    ///   - fileID: Where the value is declared.
    ///   - line: Where the value is declared.
    ///   - column: Where the value is declared.
    @inlinable
    public static func value<ID: Hashable & Sendable>(
        _ value: @autoclosure @escaping @Sendable () -> Value,
        inTests testValue: @autoclosure @escaping @Sendable () -> Value,
        id: ID = Never?.none,
        name: StaticString = #function,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        if let known = Self(knownAt: fileID, line, column, id: id) { return known }
        let declaration = Declaration(name, fileID, line, column, id: id)
        return Self(declaration, isSafeInTests: false, inTests: Self.into { _ in testValue() }, constant: value)
    }

    /// A value whose default is built when it is first read, and that is something else in tests.
    ///
    /// ```swift
    /// static var git: ScopeValue<GitClient> {
    ///     .lazy(inTests: GitClient()) { try .live($0.shell) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - lifetime: How long a built value, or one of tests, is kept, and for whom.
    ///   - testValue: Evaluated once for each scope that keeps it, which is a test's own.
    ///   - id: Tells the values of a family from each other; left out for a single value.
    ///   - name: The name in texts.
    ///   - fileID: Where the value is declared.
    ///   - line: Where the value is declared.
    ///   - column: Where the value is declared.
    ///   - make: Builds the value from others.
    @inlinable
    public static func lazy<ID: Hashable & Sendable>(
        _ lifetime: @autoclosure () -> ValueLifetime = .shared,
        inTests testValue: @autoclosure @escaping @Sendable () -> Value,
        id: ID = Never?.none,
        name: StaticString = #function,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column,
        _ make: @escaping @Sendable (ScopeReader) throws -> Value
    ) -> Self {
        if let known = Self(knownAt: fileID, line, column, id: id) { return known }
        let declaration = Declaration(name, fileID, line, column, id: id)
        return Self(
            declaration,
            lifetime(),
            isSafeInTests: false,
            inTests: Self.into { _ in testValue() },
            make: Self.into(make)
        )
    }

    /// A value that has to be set or provided before it is read, but in tests.
    ///
    /// ```swift
    /// static var logger: ScopeValue<Logger> {
    ///     .required(inTests: Logger(label: "test"))
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - lifetime: How long what a provided builder makes, or the value of tests, is kept, and for whom.
    ///   - testValue: Evaluated once for each scope that keeps it, which is a test's own.
    ///   - id: Tells the values of a family from each other; left out for a single value.
    ///   - name: The name in texts.
    ///   - fileID: Where the value is declared.
    ///   - line: Where the value is declared.
    ///   - column: Where the value is declared.
    @inlinable
    public static func required<ID: Hashable & Sendable>(
        _ lifetime: @autoclosure () -> ValueLifetime = .shared,
        inTests testValue: @autoclosure @escaping @Sendable () -> Value,
        id: ID = Never?.none,
        name: StaticString = #function,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        if let known = Self(knownAt: fileID, line, column, id: id) { return known }
        let declaration = Declaration(name, fileID, line, column, id: id)
        return Self(declaration, lifetime(), isSafeInTests: false, inTests: Self.into { _ in testValue() }, make: nil)
    }
}

extension ScopeValue where Value: ExpressibleByNilLiteral {
    /// A value that is nil until it is set, and something else in tests.
    ///
    /// ```swift
    /// static var tracer: ScopeValue<Tracer?> {
    ///     .optional(inTests: Tracer())
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - testValue: Evaluated once for each scope that keeps it, which is a test's own.
    ///   - id: Tells the values of a family from each other; left out for a single value.
    ///   - name: The name in texts.
    ///   - fileID: Where the value is declared.
    ///   - line: Where the value is declared.
    ///   - column: Where the value is declared.
    @inlinable
    public static func optional<ID: Hashable & Sendable>(
        inTests testValue: @autoclosure @escaping @Sendable () -> Value,
        id: ID = Never?.none,
        name: StaticString = #function,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        if let known = Self(knownAt: fileID, line, column, id: id) { return known }
        let declaration = Declaration(name, fileID, line, column, id: id)
        return Self(declaration, isSafeInTests: false, inTests: Self.into { _ in testValue() }, constant: { nil })
    }
}
