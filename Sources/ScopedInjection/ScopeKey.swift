/// A type that names a value of a scope and says where the value comes from if no scope sets it.
///
/// Declare one beside the property that exposes it, like a key of SwiftUI's environment. The type is the key's
/// identity, so a generic key is one key for each argument.
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

    /// The value if no scope of the chain sets or provides one.
    ///
    /// Write a constant here; implement ``makeValue(in:)`` for a value that is built from other values. The default
    /// implementation returns nil for an optional value, and throws the error ``ScopeError/Code/missingValue`` for
    /// any other. Where defaults are forbidden, the error is ``ScopeError/Code/defaultForbidden``, because a key type cannot say
    /// that it has no default.
    static var defaultValue: Value { get throws }

    /// Builds the value if no scope of the chain sets or provides one.
    ///
    /// A read through `scope`, through ``EnvironmentScope/current`` or through an ``Injected`` property is recorded
    /// as an input while this runs. A ``ValueLifetime/shared`` value is kept in the outermost scope that sees the
    /// same inputs, and is built again for a scope that overrides one of them. A clock, a file or another library's
    /// task-local is not an input, because no scope sees it. If the value depends on such a thing for each request,
    /// make it ``ValueLifetime/scoped`` or ``ValueLifetime/transient``, or set it.
    ///
    /// The value may keep `scope`. Once the value is built, `scope` resolves as the scope that keeps the value,
    /// without keeping that scope alive. Setting a value through it ends the program. So does, while the builder runs, making
    /// it the parent of a scope that the builder did not make. Its `name` is nil, because a shared value must not depend on
    /// who asked first.
    ///
    /// A read through another scope (``EnvironmentScope/global``, one it captured) is an input too, but does not affect where
    /// the value is kept. A builder that asks its scope for the `parent` gets a value that only the asking scope has. A
    /// builder that reads a missing value through a property ends the program; a builder that reads it with `value(for:)`
    /// passes the error on to the asker. Another error that it throws becomes ``ScopeError/Code/makeFailed``.
    ///
    /// The default implementation returns ``defaultValue``.
    static func makeValue(in scope: EnvironmentScope) throws -> Value

    /// How long a built value is kept, and for whom; ``ValueLifetime/shared`` by default.
    ///
    /// It is read once, when the key is first used. For a value that is an ``EnvironmentScope`` the default is
    /// ``ValueLifetime/scoped``.
    static var lifetime: ValueLifetime { get }

    /// Whether the key's own builder may run where defaults are forbidden, because it harms no test.
    ///
    /// The default is false; for optional values it is true, so return false for an optional value whose default is
    /// not nil. It is read once, when the key is first used.
    static var isSafeInTests: Bool { get }
}

/// How long a built value is kept, and for whom.
public enum ValueLifetime: Sendable {
    /// Built once, and kept in the outermost scope that sees the same inputs; built again when one of them changes.
    ///
    /// If an input changes while the builder runs, the builder runs again.
    case shared

    /// Built once for each scope that asks, and kept there; built again when an input changes.
    case scoped

    /// Built at each read and never kept.
    case transient
}

extension ScopeKey {
    /// Throws the error ``ScopeError/Code/missingValue``: the value must be set before it is read.
    public static var defaultValue: Value {
        get throws { throw ScopeError(.missingValue, key: KeyTypes.key(Self.self).key) }
    }

    /// Returns ``ScopeKey/defaultValue``.
    public static func makeValue(in scope: EnvironmentScope) throws -> Value { try defaultValue }

    /// ``ValueLifetime/shared``.
    public static var lifetime: ValueLifetime { .shared }

    /// False.
    public static var isSafeInTests: Bool { false }
}

extension ScopeKey where Value: ExpressibleByNilLiteral {
    /// Nil: an optional value is nil until it is set.
    public static var defaultValue: Value { nil }

    /// True: nil harms no test.
    public static var isSafeInTests: Bool { true }
}

extension ScopeKey where Value == EnvironmentScope {
    /// ``ValueLifetime/scoped``, because a scope that is a value stands for the scope that asked.
    public static var lifetime: ValueLifetime { .scoped }
}
