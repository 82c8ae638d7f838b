/// A type that names a value of a scope and says where the value comes from when nobody set it.
///
/// Declare one beside the property that exposes it, like a key of SwiftUI's environment.
/// The key's identity is its type, so a generic key is one key for each argument.
///
/// ```swift
/// enum PortKey: ScopeKey { static let defaultValue = 8080 }
///
/// enum DatabaseKey: ScopeKey {
///     static func makeValue(in scope: EnvironmentScope) throws -> any Database {
///         try SQLite(path: scope.value(for: DatabasePathKey.self))
///     }
/// }
///
/// enum UserKey: ScopeKey { typealias Value = User? }    // nil until set
/// enum TokenKey: ScopeKey { typealias Value = Token }   // must be set before it is read
///
/// extension EnvironmentScope {
///     var port: Int { get { self[PortKey.self] } set { self[PortKey.self] = newValue } }
/// }
/// ```
///
/// The requirements may be called on any thread, and never while the library holds a lock.
public protocol ScopeKey<Value>: SendableMetatype {
    /// The type of the value.
    associatedtype Value: Sendable

    /// The value of a scope in whose chain nothing is set or provided.
    ///
    /// Write a constant here; write ``makeValue(in:)`` where the value is built from other values.
    /// Without an implementation it is nil for an optional value, and throws the error
    /// ``ScopeError/Code/missingValue`` for any other.
    static var defaultValue: Value { get throws }

    /// Builds the value of a scope in whose chain nothing is set or provided.
    ///
    /// What is read through `scope`, through ``EnvironmentScope/current`` or through an ``Injected`` property
    /// while this runs is recorded as an input. A ``ValueLifetime/shared`` value is kept in the outermost scope
    /// that sees the same inputs, and built anew where one of them is overridden. What no scope sees (a clock, a file,
    /// another library's task-local) is no input: a value that depends on such a thing for each request has to
    /// be ``ValueLifetime/scoped``, ``ValueLifetime/transient`` or set.
    ///
    /// `scope` may be kept by the value. Once the value is built it resolves as the scope that keeps the value,
    /// without keeping that scope alive. Setting a value through it ends the program. Its `name` is nil, because a
    /// value that others share must not depend on who asked first.
    ///
    /// What is read through another scope (its `parent`, ``EnvironmentScope/global``, one it captured) is an input, too;
    /// it has no say in where the value is kept. A builder that reads a value through a property ends the program where there is none; one that
    /// reads it with `value(for:)` lets the asker have the error.
    ///
    /// The default implementation gives ``defaultValue``.
    static func makeValue(in scope: EnvironmentScope) throws -> Value

    /// How long a built value is kept, and for whom: ``ValueLifetime/shared`` unless the key says otherwise.
    ///
    /// Asked once, when the key is first used. A value that is an ``EnvironmentScope`` is ``ValueLifetime/scoped``.
    static var lifetime: ValueLifetime { get }

    /// Whether the value's own builder may run where defaults are forbidden, because it harms no test.
    ///
    /// False unless the key says otherwise, but for optional values: say false for one whose default is not nil.
    /// Asked once, when the key is first used.
    static var isSafeInTests: Bool { get }
}

/// How long a value that a scope builds is kept, and for whom.
public enum ValueLifetime: Sendable {
    /// Built once, and kept in the outermost scope that sees the same inputs.
    case shared

    /// Built once for each scope that asks, and kept there.
    case scoped

    /// Built at each read and never kept.
    case transient
}

extension ScopeKey {
    /// Throws the error ``ScopeError/Code/missingValue``: the value must be set before it is read.
    public static var defaultValue: Value {
        get throws { throw ScopeError(.missingValue, key: KeyTypes.key(Self.self)) }
    }

    /// Gives ``ScopeKey/defaultValue``.
    public static func makeValue(in scope: EnvironmentScope) throws -> Value { try defaultValue }

    /// Gives ``ValueLifetime/shared``.
    public static var lifetime: ValueLifetime { .shared }

    /// Gives false.
    public static var isSafeInTests: Bool { false }
}

extension ScopeKey where Value: ExpressibleByNilLiteral {
    /// Gives nil: an optional value is nil until it is set.
    public static var defaultValue: Value { nil }

    /// Gives true: nil harms no test.
    public static var isSafeInTests: Bool { true }
}

extension ScopeKey where Value == EnvironmentScope {
    /// Gives ``ValueLifetime/scoped``, because a scope that is a value stands for the scope that asked.
    public static var lifetime: ValueLifetime { .scoped }
}
