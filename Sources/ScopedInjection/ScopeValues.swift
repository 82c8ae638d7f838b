/// The place where a program's values are declared: one computed static property each, in extensions.
///
/// ```swift
/// extension ScopeValues {
///     static var port: ScopeValue<Int> { .value(8080) }
///     static var databasePath: ScopeValue<String> {
///         .value("notes.db")
///     }
///     static var database: ScopeValue<any Database> {
///         .lazy { try SQLite(path: $0.databasePath) }
///     }
///     static var user: ScopeValue<User?> { .optional() }
///     static var token: ScopeValue<Token> { .required() }
/// }
/// ```
///
/// It has no instances. Each value is a member of every ``EnvironmentScope``, and its key path names it in every operation:
/// `scope.port`, `@Injected(\.port)`, `scope.provide(\.port) { … }`. Make a property public or package where other modules use
/// it.
public struct ScopeValues {
    private init() {}
}

/// Names a value that is declared in ``ScopeValues``: a key path literal, or a closure for one of a family.
///
/// All operations on values take it; give it to functions of your own, too.
///
/// ```swift
/// app.provide(\.database) { try Pool(path: $0.databasePath) }
///
/// let beta = Injected({ $0.flag("beta") })
/// ```
public typealias ValueName<Value: Sendable> = (ScopeValues.Type) -> ScopeValue<Value>
