/// A value of a scope, with its default and its name.
///
/// Declare one as a computed static property of ``ScopeValues``, once in the program. It is what its place in the source says:
/// each use of the property gives the same value, from every module. Its name in texts is that of the property.
///
/// ```swift
/// extension ScopeValues {
///     // A constant.
///     static var port: ScopeValue<Int> { .value(8080) }
///     static var databasePath: ScopeValue<String> {
///         .value("notes.db")
///     }
///     // Built when it is first read.
///     static var database: ScopeValue<any Database> {
///         .lazy { try SQLite(path: $0.databasePath) }
///     }
///     // Nil until it is set.
///     static var user: ScopeValue<User?> { .optional() }
///     // Has to be set before it is read.
///     static var token: ScopeValue<Token> { .required() }
///
///     // Begun once in each request, and kept until its end.
///     static var cart: ScopeValue<Cart> {
///         .lazy(.once(in: .request)) { _ in Cart() }
///     }
///     // One for each name.
///     static func flag(_ name: String) -> ScopeValue<Bool> {
///         .value(false, id: name)
///     }
/// }
/// ```
///
/// A declaration counts the first time: what its builder or its constant captures is that of the first use.
///
/// **A place declares one value.** A declaration ends the program at its first use where it takes parameters and gives no `id:`
/// made of them, where it is in a stored property (or has the name of a type), and where a scope or a reader has a member of its
/// name. A helper that makes declarations takes `name:`, `fileID:`, `line:` and `column:` with the defaults that the functions
/// here have, and passes them on. A `static var` of a generic type or of a protocol cannot be told: it is one value for all type
/// arguments, unless the type of the value names them or an `id:` does.
///
/// A value is never freed. It can be used from any thread. Its builder may run on any thread, and never while the library holds a
/// lock.
@frozen  // One word, which clients read in place.
public struct ScopeValue<Value: Sendable>: Sendable, Hashable {
    // Safe because the record that it points to is Sendable and never freed.
    @usableFromInline nonisolated(unsafe) let address: UnsafeRawPointer

    @inline(__always)
    var key: TypedKey<Value> { TypedKey(address) }

    package var valueKey: ValueKey { key.key }

    /// The value that is declared at a place; nil if this call has to declare it.
    // Inlined into the client, which knows whether there is an identifier, and of which type.
    @inlinable
    @inline(__always)
    init?<ID: Hashable & Sendable>(knownAt fileID: StaticString, _ line: UInt, _ column: UInt, id: ID) {
        let type = ObjectIdentifier(Value.self)
        let found =
            ID.self == Never?.self
            ? Declarations.find(fileID, line, column, type) : Declarations.find(fileID, line, column, type, id: id)
        guard let found else { return nil }
        address = found
    }

    /// Makes the value in memory that is not initialized.
    @usableFromInline typealias Make = @Sendable (ScopeReader, UnsafeMutableRawPointer) throws -> Void

    /// A builder for code that does not know the type of the value; in the client, so that it calls the closure directly.
    @inlinable
    @inline(__always)
    static func into(_ make: @escaping @Sendable (ScopeReader) throws -> Value) -> Make {
        { reader, memory in memory.initializeMemory(as: Value.self, to: try make(reader)) }
    }

    /// The value of a declaration, whose record this makes the first time.
    private init(_ declaration: Declaration, _ make: () -> TypedKeyRecord<Value>) {
        address = Declarations.declare(declaration, as: Value.self, make).address
    }

    @usableFromInline
    @inline(never)
    init(
        _ declaration: Declaration,
        isSafeInTests: Bool,
        inTests makeInTests: Make? = nil,
        constant: () -> Value
    ) {
        self.init(declaration) {
            let thread = ThreadState.current
            let around = thread.pointee.activity.isDeclaring
            thread.pointee.activity.isDeclaring = true
            defer { thread.pointee.activity.isDeclaring = around }
            return TypedKeyRecord(declaration, isSafeInTests: isSafeInTests, inTests: makeInTests, constant: constant())
        }
    }

    /// - Parameter make: The builder; nil for a value that has none.
    @usableFromInline
    @inline(never)
    init(
        _ declaration: Declaration,
        _ lifetime: ValueLifetime,
        isSafeInTests: Bool,
        inTests makeInTests: Make?,
        make: Make?
    ) {
        // Not by `??`, through which a function is called by two others.
        let builder: Make = if let make { make } else { { _, _ in throw ScopeError(.missingValue) } }
        self.init(declaration) {
            TypedKeyRecord(
                declaration,
                lifetime,
                isSafeInTests: isSafeInTests,
                make == nil ? .none : .built,
                inTests: makeInTests,
                make: builder
            )
        }
    }

    /// A value whose default is a constant.
    ///
    /// ```swift
    /// static var port: ScopeValue<Int> {
    ///     .value(8080, isSafeInTests: true)
    /// }
    /// ```
    ///
    /// The constant is evaluated once in the program, at the first use, so all scopes share it. What each application or test
    /// should have for itself is ``lazy(_:isSafeInTests:makeInTests:id:name:fileID:line:column:_:)``.
    ///
    /// - Parameters:
    ///   - value: The constant.
    ///   - isSafeInTests: Whether scopes that forbid or report defaults use the constant without more, because it harms no test.
    ///   - id: Tells the values of a family from each other; left out for a single value.
    ///   - name: The name in texts.
    ///   - fileID: Where the value is declared.
    ///   - line: Where the value is declared.
    ///   - column: Where the value is declared.
    @inlinable
    public static func value<ID: Hashable & Sendable>(
        _ value: @autoclosure @escaping @Sendable () -> Value,
        isSafeInTests: Bool = false,
        id: ID = Never?.none,
        name: StaticString = #function,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        if let known = Self(knownAt: fileID, line, column, id: id) { return known }
        let declaration = Declaration(name, fileID, line, column, id: id)
        return Self(declaration, isSafeInTests: isSafeInTests, constant: value)
    }

    /// A value whose default is built when it is first read.
    ///
    /// ```swift
    /// static var database: ScopeValue<any Database> {
    ///     .lazy { try SQLite(path: $0.databasePath) }
    /// }
    /// ```
    ///
    /// What the builder reads through its reader, or through an ``Injected`` property, is an input. A ``ValueLifetime/shared``
    /// value is kept in the outermost scope that sees the same inputs, and built anew where one of them is overridden. Something
    /// else that it depends on (a clock, a file, another scope) is no input.
    ///
    /// - Parameters:
    ///   - lifetime: How long a built value is kept, and for whom.
    ///   - isSafeInTests: Whether scopes that forbid or report defaults use this one without more, because it harms no test.
    ///   - makeInTests: Another builder for such scopes; nil for none.
    ///   - id: Tells the values of a family from each other; left out for a single value.
    ///   - name: The name in texts.
    ///   - fileID: Where the value is declared.
    ///   - line: Where the value is declared.
    ///   - column: Where the value is declared.
    ///   - make: Builds the value from others. What it throws is the reason of the error ``ScopeError/Code/makeFailed``; a
    ///     ``ScopeError`` is passed on. It may run again if what it reads changes meanwhile.
    @inlinable
    public static func lazy<ID: Hashable & Sendable>(
        _ lifetime: @autoclosure () -> ValueLifetime = .shared,
        isSafeInTests: Bool = false,
        makeInTests: (@Sendable (ScopeReader) throws -> Value)? = nil,
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
            isSafeInTests: isSafeInTests,
            inTests: makeInTests.map(Self.into),
            make: Self.into(make)
        )
    }

    /// Lets the compiler say what to do about a constant; cannot be called.
    @available(*, unavailable, message: "a constant is .value(…); .lazy takes a closure that builds the value")
    @_disfavoredOverload
    public static func lazy(_ value: Value) -> Self { fatalError("a constant is no builder") }

    /// Lets the compiler say what to do about a type that is no optional; cannot be called.
    @available(*, unavailable, message: "a type like Int? can be .optional(); what has to be set is .required()")
    @_disfavoredOverload
    public static func optional() -> Self { fatalError("the type is no optional") }

    /// Lets the compiler say what to do about a builder that waits; cannot be called.
    @available(*, unavailable, message: "a builder cannot wait; let the value be a Deferred, whose closure can")
    @_disfavoredOverload
    public static func lazy(
        _ lifetime: ValueLifetime = .shared,
        _ make: @escaping @Sendable (ScopeReader) async throws -> Value
    ) -> Self {
        fatalError("a builder cannot wait")
    }

    /// A value that has to be set or provided before it is read.
    ///
    /// ```swift
    /// static var token: ScopeValue<Token> { .required() }
    /// ```
    ///
    /// A read before that is the error ``ScopeError/Code/missingValue``.
    ///
    /// - Parameters:
    ///   - lifetime: How long what a provided builder makes is kept, and for whom.
    ///   - makeInTests: Builds a default for scopes that forbid or report defaults; nil for none.
    ///   - id: Tells the values of a family from each other; left out for a single value.
    ///   - name: The name in texts.
    ///   - fileID: Where the value is declared.
    ///   - line: Where the value is declared.
    ///   - column: Where the value is declared.
    @inlinable
    public static func required<ID: Hashable & Sendable>(
        _ lifetime: @autoclosure () -> ValueLifetime = .shared,
        makeInTests: (@Sendable (ScopeReader) throws -> Value)? = nil,
        id: ID = Never?.none,
        name: StaticString = #function,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        if let known = Self(knownAt: fileID, line, column, id: id) { return known }
        let declaration = Declaration(name, fileID, line, column, id: id)
        return Self(
            declaration,
            lifetime(),
            isSafeInTests: makeInTests == nil,
            inTests: makeInTests.map(Self.into),
            make: nil
        )
    }
}

extension ScopeValue where Value: ExpressibleByNilLiteral {
    /// A value that is nil until it is set; nil may be used everywhere, in tests too.
    ///
    /// ```swift
    /// static var user: ScopeValue<User?> { .optional() }
    /// ```
    ///
    /// - Parameters:
    ///   - id: Tells the values of a family from each other; left out for a single value.
    ///   - name: The name in texts.
    ///   - fileID: Where the value is declared.
    ///   - line: Where the value is declared.
    ///   - column: Where the value is declared.
    @inlinable
    public static func optional<ID: Hashable & Sendable>(
        id: ID = Never?.none,
        name: StaticString = #function,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        column: UInt = #column
    ) -> Self {
        if let known = Self(knownAt: fileID, line, column, id: id) { return known }
        let declaration = Declaration(name, fileID, line, column, id: id)
        return Self(declaration, isSafeInTests: true, constant: { nil })
    }
}
