/// A reference that reads a value from a scope at each use: its own scope if it has one, else the current one.
///
/// ```swift
/// struct Handler: Sendable {
///     @Injected(\.database) var database
///     @Injected(\.user?.name) var userName  // any path
/// }
/// final class Service: Sendable {
///     // A Sendable class cannot use a wrapper.
///     // It reads the value as database().
///     let database = Injected(\.database)
/// }
/// ```
///
/// Copies of a struct share the reference's scope. A read that fails ends the program with a text that names the line
/// of the reference. A reference may be read, and its scope set, from any thread at any time.
@propertyWrapper
public final class Injected<Value>: Sendable {
    /// The key, if the reference names a value; nil if it has a function.
    private let key: TypedKey<Value>?
    private let resolve: (@Sendable (ScopeView) -> Value)?
    private let place: SourcePlace
    private let binding = BindingSlot()

    private init(
        _ key: TypedKey<Value>?,
        _ resolve: (@Sendable (ScopeView) -> Value)?,
        _ scope: EnvironmentScope?,
        _ place: SourcePlace
    ) {
        self.key = key
        self.resolve = resolve
        self.place = place
        if let scope { bind(to: scope, isOwning: true) }
    }

    /// Refers to a value that is declared in ``ScopeValues``.
    ///
    /// ```swift
    /// @Injected(\.database) var database
    /// ```
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - scope: The scope to read from; nil for the current one at each read. The reference keeps the scope and its
    ///     whole chain alive.
    ///   - fileID: The file of the reference, for error texts.
    ///   - line: The line of the reference, for error texts.
    @inlinable  // The caller's compiler turns the literal into the object, so a read needs no key path.
    public convenience init(
        _ value: KeyPath<ScopeValues.Type, ScopeValue<Value>>,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Value: Sendable {
        self.init(naming: ScopeValues.self[keyPath: value], scope, fileID, line)
    }

    /// Refers to a value that a closure names: one of a family.
    ///
    /// ```swift
    /// let beta = Injected({ $0.flag("beta") })
    /// ```
    ///
    /// - Parameters:
    ///   - value: Names the value; called once, at once.
    ///   - scope: The scope to read from; nil for the current one at each read. The reference keeps the scope and its
    ///     whole chain alive.
    ///   - fileID: The file of the reference, for error texts.
    ///   - line: The line of the reference, for error texts.
    public convenience init(
        _ value: ValueName<Value>,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Value: Sendable {
        self.init(naming: value(ScopeValues.self), scope, fileID, line)
    }

    @usableFromInline
    convenience init(
        naming value: ScopeValue<Value>,
        _ scope: EnvironmentScope?,
        _ fileID: StaticString,
        _ line: UInt
    ) where Value: Sendable {
        self.init(value.key, nil, scope, SourcePlace(fileID: fileID, line: line))
    }

    /// Refers to the result of a function of values; usually a key path literal, `\.user?.name`.
    ///
    /// ```swift
    /// let address = Injected { view in "\(view.host):\(view.port)" }
    /// ```
    ///
    /// Swift applies a longer path at run time, so a function or a reference to `\.user` reads faster (see <doc:Cost>).
    ///
    /// - Parameters:
    ///   - resolve: Called at each read, on the reading thread.
    ///   - scope: The scope to read from; nil for the current one at each read. The reference keeps the scope and its
    ///     whole chain alive.
    ///   - fileID: The file of the reference, for error texts.
    ///   - line: The line of the reference, for error texts.
    @_disfavoredOverload
    public convenience init(
        _ resolve: @escaping @Sendable (ScopeView) -> Value,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(nil, resolve, scope, SourcePlace(fileID: fileID, line: line))
    }

    /// The value, as the reference's scope or the current scope sees it now.
    ///
    /// A read that fails ends the program; ``value()`` throws instead.
    @inlinable  // The caller's compiler knows how to copy the value.
    public var wrappedValue: Value {
        let read = startReading()
        guard let address = read.address else { return search(read) }
        defer { read.finish() }
        return HeldRead.value(at: address)
    }

    /// Returns the value, or throws the error that says why there is none.
    ///
    /// Use it where a failure must not end the program: in a server whose disk may be full.
    ///
    /// ```swift
    /// struct Handler: Sendable {
    ///     @Injected(\.database) var database
    ///
    ///     func run() throws -> [Note] { try $database.value().notes() }
    /// }
    /// ```
    ///
    /// A reference that was made with a function ends the program if a value that the function reads is missing, because the
    /// function cannot throw.
    ///
    /// - Throws: ``ScopeError``.
    @inlinable
    public func value() throws(ScopeError) -> Value {
        let read = startReading()
        guard let address = read.address else { return try searchOrThrow(read) }
        defer { read.finish() }
        return HeldRead.value(at: address)
    }

    @usableFromInline
    @inline(never)
    func startReading() -> HeldRead {
        guard let key else { return HeldRead(nil) }
        if binding.isSet {
            let read = HeldRead(key) { binding.node }
            if read.address != nil { return read }
        }
        // Another thread may give the reference another scope meanwhile; then only the anchor keeps the node alive.
        guard let binding = binding.current else {
            guard let anchor = Anchor.current else { return HeldRead(inGlobal: key) }
            return HeldRead(key, in: .retaining(anchor))
        }
        guard let anchor = binding.anchor else { return HeldRead(nil) }
        return HeldRead(key, in: .retaining(anchor))
    }

    @usableFromInline
    @inline(never)
    func search(_ read: HeldRead) -> Value {
        do throws(ScopeError) { return try searchOrThrow(read) } catch {
            error.endProgram(in: scopeInForce, at: place)
        }
    }

    /// The value that the walk did not find, or that a function gives.
    @usableFromInline
    @inline(never)
    func searchOrThrow(_ read: HeldRead) throws(ScopeError) -> Value {
        let thread = ThreadState.current
        let around = thread.pointee.activity.reference
        thread.pointee.activity.reference = place
        defer { thread.pointee.activity.reference = around }
        do throws(ScopeError) {
            let own = binding.current
            if let own, read.anchor == nil, own.scope == nil { throw goneScope(own.scopeName) }
            if let key { return try read.searched(for: key) }
            guard let resolve else { fatalError("a reference names a value or has a function") }
            guard let anchor = own == nil ? Anchor.current : own?.anchor else {
                if let own { throw goneScope(own.scopeName) }
                return resolve(ScopeView(.scope(GlobalScope.current)))
            }
            return resolve(ScopeView(try ReadingContext(anchor)))
        } catch {
            throw error.at(location)
        }
    }

    /// The scope of the reference, or the current one, for texts; nil in a builder.
    private var scopeInForce: EnvironmentScope? {
        if let own = binding.current { return own.scope }
        guard let anchor = Anchor.current else { return GlobalScope.current }
        return anchor.scope?.object
    }

    /// The reference itself, to read or set its scope: `$database.scope = other`.
    public var projectedValue: Injected<Value> { self }

    /// The scope the reference reads from; nil if it reads from the current one, or if its scope is gone.
    ///
    /// A reference that is given its scope here keeps that and its whole chain alive. For a reference inside a value of the scope
    /// itself, use ``EnvironmentScope/replaceInValues(options:)``, which does not. If its scope is
    /// gone, a read is an error, and does not use the current scope.
    public var scope: EnvironmentScope? {
        get { binding.current?.scope }
        set {
            if let newValue { bind(to: newValue, isOwning: true) } else { binding.set(nil) }
        }
    }

    /// Returns the value, like ``wrappedValue``; for references that are stored as a `let`.
    ///
    /// A read that fails ends the program.
    @inlinable
    public func callAsFunction() -> Value { wrappedValue }
}

extension Injected: ScopedReference {
    package var location: ScopeError.Location { ScopeError.Location(place) }

    package var ownedScope: EnvironmentScope? { binding.current?.ownedScope }

    func value(in scope: EnvironmentScope) throws(ScopeError) -> Any {
        if let key { return try scope.value(of: key) }
        guard let resolve else { fatalError("a reference names a value or has a function") }
        return resolve(ScopeView(.scope(scope)))
    }

    func resolved(in scope: EnvironmentScope) throws(ScopeError) -> Any {
        guard let own = binding.current else { return try value(in: scope) }
        guard let bound = own.scope else { throw goneScope(own.scopeName) }
        return try value(in: bound)
    }

    func bind(to scope: EnvironmentScope, isOwning: Bool) {
        binding.set(ScopeBinding(scope, isOwning: isOwning))
        scope.watch?.tellOfReference(self)
    }

    private func goneScope(_ name: String?) -> ScopeError {
        ScopeError(.parentReleased, detail: "its scope \(EnvironmentScope.display(name)) is gone").at(location)
    }
}
