/// The place where a program's values are declared: one static property each, in extensions.
///
/// ```swift
/// extension ScopeValues {
///     static let port = ScopeValue(8080)
///     static let databasePath = ScopeValue("notes.db")
///     static let database = ScopeValue<any Database> { scope in try SQLite(path: scope.databasePath) }
///     static let user = ScopeValue<User?>()
///     static let token = ScopeValue<Token>.required()
/// }
/// ```
///
/// It has no instances. Each value is a member of every ``EnvironmentScope``, and its key path names it in every
/// operation: `scope.port`, `@Injected(\.port)`, `scope.provide(\.port) { … }`.
public struct ScopeValues {
    private init() {}
}

/// A value of a scope, with its default.
///
/// Declare one as a static property of ``ScopeValues``, in one place of the program. The object itself is the value's
/// identity, so two values never collide. It is never freed.
///
/// ```swift
/// extension ScopeValues {
///     static let port = ScopeValue(8080)  // a constant
///     static let databasePath = ScopeValue("notes.db")
///     static let database = ScopeValue<any Database> { scope in  // built from other values, lazily, once
///         try SQLite(path: scope.databasePath)
///     }
///     static let user = ScopeValue<User?>()  // nil until it is set
///     static let token = ScopeValue<Token>.required()  // must be set before it is read
/// }
///
/// extension ScopeValues { static let log = ScopeValue<RequestLog>(.scoped) { RequestLog($0.logger) } }
/// ```
///
/// The builders may be called on any thread, and never while the library holds a lock.
public final class ScopeValue<Value: Sendable>: Sendable {
    package var valueKey: ValueKey { key.key }
    let key: TypedKey<Value>

    private init(
        _ lifetime: ValueLifetime,
        _ isSafeInTests: Bool,
        _ ownDefault: ValueKey.OwnDefault,
        _ name: String?,
        _ fileID: StaticString,
        _ line: UInt,
        inTests makeInTests: (@Sendable (EnvironmentScope) throws -> Value)? = nil,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        key = TypedKey(
            TypedKeyRecord(
                lifetime,
                isSafeInTests: isSafeInTests,
                ownDefault,
                .value(name: name, fileID: fileID, line: line),
                inTests: makeInTests,
                make: make
            )
        )
        _ = Unmanaged.passRetained(self)
    }

    /// A value whose default is a constant.
    ///
    /// ```swift
    /// static let port = ScopeValue(8080, isSafeInTests: true)
    /// ```
    ///
    /// - Parameters:
    ///   - value: The constant.
    ///   - isSafeInTests: Whether scopes that forbid defaults may use the constant, because it harms no test.
    ///   - name: The value's name in texts; nil for its type and the line of its declaration.
    ///   - fileID: Where the value is declared, for texts.
    ///   - line: Where the value is declared, for texts.
    @_disfavoredOverload  // So that an error in a builder's body is reported there.
    public convenience init(
        _ value: Value,
        isSafeInTests: Bool = false,
        name: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(.shared, isSafeInTests || Self.isNil(value), .constant, name, fileID, line) { _ in value }
    }

    /// Whether the value is nil, which harms no test.
    private static func isNil(_ value: Value) -> Bool {
        // By the type, because a cast of the value would unwrap it.
        guard let type = Value.self as? any Nullable.Type else { return false }
        return type.isNil(value)
    }

    /// A value whose default is built.
    ///
    /// What the builder reads through the scope it is given, through ``EnvironmentScope/current`` or through an
    /// ``Injected`` property is recorded as an input. A ``ValueLifetime/shared`` value is kept in the outermost scope
    /// that sees the same inputs, and built anew in a scope that overrides one of them. A thing that no scope sees (a
    /// clock, a file, another library's task-local) is no input. A value that depends on such a thing has to be
    /// ``ValueLifetime/scoped``, ``ValueLifetime/transient`` or set.
    ///
    /// ```swift
    /// static let database = ScopeValue<any Database> { scope in try SQLite(path: scope.databasePath) }
    /// ```
    ///
    /// - Parameters:
    ///   - lifetime: How long a built value is kept, and for whom.
    ///   - isSafeInTests: Whether the builder may run in scopes that forbid defaults, because it harms no test.
    ///   - name: The value's name in texts; nil for its type and the line of its declaration.
    ///   - fileID: Where the value is declared, for texts.
    ///   - line: Where the value is declared, for texts.
    ///   - make: Builds the value from others, which it reads through the scope. What it throws is the reason of the error
    ///     ``ScopeError/Code/makeFailed``; a ``ScopeError`` is passed on. It may run again, if what it reads changes.
    public convenience init(
        _ lifetime: ValueLifetime = .shared,
        isSafeInTests: Bool = false,
        name: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        self.init(lifetime, isSafeInTests, .built, name, fileID, line, make)
    }

    /// Lets the compiler say what to do about a builder that waits; cannot be called.
    @available(*, unavailable, message: "a builder cannot wait; let the value be a Deferred, whose closure can")
    @_disfavoredOverload
    public convenience init(
        _ lifetime: ValueLifetime = .shared,
        isSafeInTests: Bool = false,
        name: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (EnvironmentScope) async throws -> Value
    ) {
        fatalError("a builder cannot wait")
    }

    /// A value whose default is a constant, and another constant in tests.
    ///
    /// ```swift
    /// static let retries = ScopeValue(5, inTests: 0)
    /// ```
    ///
    /// A scope that forbids defaults (``DefaultsPolicy/forbidden``) uses the second constant; any other scope uses the first,
    /// in tests too.
    ///
    /// - Parameters:
    ///   - value: The constant.
    ///   - testValue: The constant in scopes that forbid defaults.
    ///   - name: The value's name in texts; nil for its type and the line of its declaration.
    ///   - fileID: Where the value is declared, for texts.
    ///   - line: Where the value is declared, for texts.
    public convenience init(
        _ value: Value,
        inTests testValue: Value,
        name: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(.shared, false, .constant, name, fileID, line, inTests: { _ in testValue }) { _ in value }
    }

    /// A value whose default is built, by another builder in tests.
    ///
    /// ```swift
    /// static let mailer = ScopeValue<any Mailer> { scope in
    ///     SMTPMailer(host: scope.mailHost)
    /// } inTests: { _ in
    ///     Outbox()
    /// }
    /// ```
    ///
    /// A scope that forbids defaults (``DefaultsPolicy/forbidden``) uses the second builder; any other scope uses the first,
    /// in tests too, and so does a test for what it lists in `allowing:`. Each test whose standalone scope or trait forbids
    /// defaults gets a value of its own; a scope that is made below another one that forbids shares that one's. The reads of
    /// both builders are recorded.
    ///
    /// - Parameters:
    ///   - lifetime: How long a built value is kept, and for whom.
    ///   - name: The value's name in texts; nil for its type and the line of its declaration.
    ///   - fileID: Where the value is declared, for texts.
    ///   - line: Where the value is declared, for texts.
    ///   - make: Builds the value. What it throws is the reason of the error ``ScopeError/Code/makeFailed``.
    ///   - makeInTests: Builds the value in scopes that forbid defaults.
    public convenience init(
        _ lifetime: ValueLifetime = .shared,
        name: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable (EnvironmentScope) throws -> Value,
        inTests makeInTests: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) {
        self.init(lifetime, false, .built, name, fileID, line, inTests: makeInTests, make)
    }

    /// A value that has to be set or provided before it is read, but has a default in tests.
    ///
    /// ```swift
    /// static let session = ScopeValue<Session>.required(inTests: { _ in Session(user: "Ada") })
    /// ```
    ///
    /// Only a scope that forbids defaults has it. Elsewhere a read is the error ``ScopeError/Code/missingValue``.
    ///
    /// - Parameters:
    ///   - name: The value's name in texts; nil for its type and the line of its declaration.
    ///   - fileID: Where the value is declared, for texts.
    ///   - line: Where the value is declared, for texts.
    ///   - makeInTests: Builds the value in scopes that forbid defaults (``DefaultsPolicy/forbidden``).
    public static func required(
        name: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        inTests makeInTests: @escaping @Sendable (EnvironmentScope) throws -> Value
    ) -> ScopeValue {
        ScopeValue(.shared, false, .none, name, fileID, line, inTests: makeInTests) { _ in
            throw ScopeError(.missingValue)
        }
    }

    /// A value that has to be set or provided before it is read.
    ///
    /// ```swift
    /// static let token = ScopeValue<Token>.required()
    /// ```
    ///
    /// A read before that is the error ``ScopeError/Code/missingValue``.
    public static func required(
        name: String? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> ScopeValue {
        ScopeValue(.shared, true, .none, name, fileID, line) { _ in throw ScopeError(.missingValue) }
    }
}

extension ScopeValue where Value: ExpressibleByNilLiteral {
    /// A value that is nil until it is set; nil may be used everywhere, in tests too.
    ///
    /// ```swift
    /// static let user = ScopeValue<User?>()
    /// ```
    ///
    /// - Parameters:
    ///   - name: The value's name in texts; nil for its type and the line of its declaration.
    ///   - fileID: Where the value is declared, for texts.
    ///   - line: Where the value is declared, for texts.
    public convenience init(name: String? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(.shared, true, .constant, name, fileID, line) { _ in nil }
    }
}

/// An optional, where the type is not known.
private protocol Nullable { static func isNil(_ value: Any) -> Bool }

extension Optional: Nullable {
    fileprivate static func isNil(_ value: Any) -> Bool { (value as? Self).map { $0 == nil } ?? true }
}
