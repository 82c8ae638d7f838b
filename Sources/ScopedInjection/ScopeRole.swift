/// What a scope is for: values can be kept in the nearest scope of a role.
///
/// A scope is given a role when it is made. A value that is declared ``ValueLifetime/once(in:)`` is begun once in the nearest scope
/// of its role, and stays there. A role is declared like a value, as a computed property:
///
/// ```swift
/// extension ScopeRole {
///     static var tenant: ScopeRole { ScopeRole() }
/// }
/// ```
///
/// `EnvironmentScope.empty("acme", role: .tenant, parent: app)` makes a scope of it (<doc:Transactions>).
///
/// The place of the declaration is its identity. A declaration that is in a stored property, or takes parameters, ends the program
/// at its first use. A role may be used from any thread.
public struct ScopeRole: Sendable, Hashable, CustomStringConvertible {
    let key: ValueKey

    init(_ key: ValueKey) { self.key = key }

    /// The role of the scope of an application, which lives as long as the program, or as a test.
    public static let application = ScopeRole("application")

    /// The role of the scope of a request, a job, or anything else that is served and over.
    public static let request = ScopeRole("request")

    /// Declares a role.
    ///
    /// ```swift
    /// static var connection: ScopeRole { ScopeRole() }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name in texts.
    ///   - fileID: Where the role is declared.
    ///   - line: Where the role is declared.
    ///   - column: Where the role is declared.
    public init(
        _ name: StaticString = #function,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column
    ) {
        if let known = Declarations.find(fileID, line, column, ObjectIdentifier(ScopeRole.self)) {
            key = .at(known)
        } else {
            let declaration = Declaration(name, fileID, line, column)
            key = Declarations.declare(declaration, as: ScopeRole.self) {
                TypedKeyRecord<Void>(declaration, isSafeInTests: true, inTests: nil, constant: ())
            }
        }
    }

    /// The name of the property that declares the role.
    public var description: String { key.name }
}
