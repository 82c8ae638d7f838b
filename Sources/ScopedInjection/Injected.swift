/// A reference that reads a value from a scope at each use: its own scope if it has one, else the current one.
///
/// ```swift
/// struct Handler: Sendable {
///     @Injected(\.database) var database
///     @Injected(\.user?.name) var userName        // any path
/// }
/// final class Service: Sendable {
///     let database = Injected(\.database)         // a Sendable class cannot use a wrapper; read as database()
/// }
/// ```
///
/// Copies of a struct share the reference's scope. A read that fails ends the program with a text that names the line
/// of the reference. A reference may be read, and its scope set, from any thread at any time.
@propertyWrapper
public final class Injected<Value>: Sendable {
    /// The key, if the reference names a value; nil if it has a function.
    private let key: TypedKey<Value>?
    private let resolve: (@Sendable (EnvironmentScope) -> Value)?
    private let fileID: StaticString
    private let line: UInt
    private let binding = BindingSlot()

    private init(
        _ key: TypedKey<Value>?,
        _ resolve: (@Sendable (EnvironmentScope) -> Value)?,
        _ scope: EnvironmentScope?,
        _ fileID: StaticString,
        _ line: UInt
    ) {
        self.key = key
        self.resolve = resolve
        self.fileID = fileID
        self.line = line
        if let scope { bind(to: scope.bindable, .program) }
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
        _ value: any KeyPath<ScopeValues.Type, ScopeValue<Value>> & Sendable,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Value: Sendable {
        self.init(value: ScopeValues.self[keyPath: value], scope: scope, fileID: fileID, line: line)
    }

    /// Refers to a value that is given as an object instead of its key path.
    ///
    /// ```swift
    /// let references = [ScopeValues.port, ScopeValues.adminPort].map { Injected(value: $0) }
    /// ```
    public convenience init(
        value: ScopeValue<Value>,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Value: Sendable {
        self.init(value.key, nil, scope, fileID, line)
    }

    /// Refers to the result of a function of the scope; usually a key path literal, `\.user?.name`.
    ///
    /// ```swift
    /// let address = Injected { scope in "\(scope.host):\(scope.port)" }
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
    public convenience init(
        _ resolve: @escaping @Sendable (EnvironmentScope) -> Value,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(nil, resolve, scope, fileID, line)
    }

    /// Refers to the value of a key type.
    ///
    /// ```swift
    /// @Injected(key: PortKey.self) var port
    /// ```
    public convenience init<Key: ScopeKey>(
        key: Key.Type,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Key.Value == Value {
        self.init(KeyTypes.key(key), nil, scope, fileID, line)
    }

    /// Refers to the value of a key type; ``init(key:scope:fileID:line:)`` is the usual spelling.
    ///
    /// It stays for programs of 0.1.0. Its price: the compiler's message for a mistyped `@Injected(\.prot)` is about it.
    @_disfavoredOverload
    public convenience init<Key: ScopeKey>(
        _ key: Key.Type,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Key.Value == Value {
        self.init(KeyTypes.key(key), nil, scope, fileID, line)
    }

    /// Refers to the value at a key path that is held in a variable.
    ///
    /// For a literal, the initialiser without a label is faster.
    ///
    /// ```swift
    /// let paths: [any KeyPath<EnvironmentScope, Int> & Sendable] = [\.port, \.adminPort]
    /// let ports = paths.map { Injected(keyPath: $0) }
    /// ```
    public convenience init(
        keyPath: any KeyPath<EnvironmentScope, Value> & Sendable,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.init(nil, { $0[keyPath: keyPath] }, scope, fileID, line)
    }

    /// The value, as the reference's scope or the current scope sees it now.
    @inlinable  // The caller's compiler knows how to copy the value.
    public var wrappedValue: Value {
        let read = startReading()
        guard let address = read.address else { return search(read) }
        defer { read.finish() }
        return HeldRead.value(at: address)
    }

    @usableFromInline
    @inline(never)
    func startReading() -> HeldRead {
        guard let key else { return .notStarted }
        if binding.isSet {
            let read = HeldRead(key) { binding.node }
            if read.address != nil { return read }
        }
        // Another thread may give the reference another scope meanwhile; then only the anchor keeps the node alive.
        guard let anchor = anchorToReadIn else { return HeldRead(inGlobal: key) }
        return HeldRead(key, in: anchor)
    }

    @usableFromInline
    @inline(never)
    func search(_ read: HeldRead) -> Value {
        guard let key else { return resolved }
        return reading { read.searched(for: key) }
    }

    /// The anchor of the reference's own scope, or of the current one, retained; nil for the global scope.
    @inline(__always)
    private var anchorToReadIn: Unmanaged<Anchor>? {
        guard let binding = binding.current else {
            return Anchor.current.map { .passRetained($0) }
        }
        guard let anchor = binding.anchor else { goneScope(binding.scopeName).endProgram() }
        return .passRetained(anchor)
    }

    @inline(never)
    private var resolved: Value {
        guard let resolve else { fatalError("a reference names a value or has a function") }
        return reading {
            guard let anchor = anchorToReadIn else { return resolve(GlobalScope.current) }
            defer { anchor.release() }
            return anchor._withUnsafeGuaranteedRef { $0.withScope(resolve) }
        }
    }

    /// Reads on behalf of the reference, so that an error can name its line.
    @inline(__always)
    private func reading(_ body: () -> Value) -> Value {
        let reading = ReadingReference.begin(self)
        defer { reading.end() }
        return body()
    }

    /// The reference itself, to read or set its scope: `$database.scope = other`.
    public var projectedValue: Injected<Value> { self }

    /// The scope the reference reads from; nil if it reads from the current one, or if its scope is gone.
    ///
    /// A reference that is given its scope here keeps that and its whole chain alive, but for the scope that a builder was given,
    /// which owns nothing. For a reference inside a value of the scope itself, use ``EnvironmentScope/replaceInValues(options:)``
    /// or ``ReplaceOptions/unowned``, which do not. If its scope is gone, a read ends the program, and does not use the current
    /// scope.
    public var scope: EnvironmentScope? {
        get { binding.current?.scope }
        set { bind(to: newValue?.bindable, .program) }
    }

    /// Returns the value, like ``wrappedValue``; for references that are stored as a `let`.
    ///
    /// A read that fails ends the program.
    @inlinable
    public func callAsFunction() -> Value { wrappedValue }
}

extension Injected: ScopedReference {
    package var location: ScopeError.Location { ScopeError.Location(fileID: fileID.description, line: line) }

    func value(in scope: EnvironmentScope) -> Any {
        reading { if let key { scope.read(key) } else { resolve.unsafelyUnwrapped(scope) } }
    }

    func resolved(in scope: EnvironmentScope) throws(ScopeError) -> Any {
        var scope = scope
        if let own = binding.current {
            guard let bound = own.scope else { throw goneScope(own.scopeName) }
            scope = bound
        }
        guard let key else { return value(in: scope) }
        return try scope.value(of: key)
    }

    func bind(to scope: EnvironmentScope, isOwning: Bool) {
        bind(to: scope, isOwning ? .replacing : .replacingUnowned)
    }

    private func bind(to scope: EnvironmentScope?, _ origin: ScopeBinding.Origin) {
        binding.set(scope.map { ScopeBinding($0, origin) })
        scope?.watchOfChildren?.noteReference(self)
    }

    func disown(if condition: (EnvironmentScope) -> Bool) {
        guard let known = binding.current, known.isToDisown else { return }  // fault: owned-by-program
        guard let scope = known.scope, condition(scope) else { return }
        binding.replace(known, by: ScopeBinding(scope, .replacingUnowned))
    }

    package var ownedScope: EnvironmentScope? {
        guard let binding = binding.current, binding.isOwning else { return nil }
        return binding.scope
    }

    private func goneScope(_ name: String?) -> ScopeError {
        var error = ScopeError(.parentReleased, detail: "its scope \(EnvironmentScope.display(name)) is gone")
        error.fields.location = location
        return error
    }
}
