import Synchronization

/// Reads a value from a scope each time it is asked: from its own scope if it has one, else from the current one.
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
/// of the reference. References may be read, and their scope set, from any thread at any time.
@propertyWrapper
public final class Injected<Value>: Sendable {
    private let resolve: @Sendable (EnvironmentScope) -> Value
    private let fileID: StaticString
    private let line: UInt
    private let binding = BindingSlot()

    /// Refers to what a function of a scope gives; usually a key path literal, `\.database`.
    ///
    /// ```swift
    /// let address = Injected { scope in "\(scope.host):\(scope.port)" }
    /// ```
    ///
    /// - Parameters:
    ///   - resolve: Called at each read, on the reading thread.
    ///   - scope: The scope to read from; nil for the current one at each read. The reference keeps it, and its
    ///     whole chain, alive, unless it belongs to what the scope itself owns.
    ///   - fileID: Where the reference stands, for error texts.
    ///   - line: Where the reference stands, for error texts.
    public init(
        _ resolve: @escaping @Sendable (EnvironmentScope) -> Value,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.resolve = resolve
        self.fileID = fileID
        self.line = line
        if let scope { bind(to: scope.bindable, isOwning: true) }
    }

    /// Refers to the value of a key, which needs no property then.
    ///
    /// ```swift
    /// @Injected(PortKey.self) var port
    /// ```
    public convenience init<Key: ScopeKey>(
        _ key: Key.Type,
        scope: EnvironmentScope? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) where Key.Value == Value {
        self.init({ $0[key] }, scope: scope, fileID: fileID, line: line)
    }

    /// Refers to what a key path that is held in a variable leads to.
    ///
    /// A literal is faster without the label.
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
        self.init({ $0[keyPath: keyPath] }, scope: scope, fileID: fileID, line: line)
    }

    /// The value as the reference's scope, or else the current one, sees it now.
    public var wrappedValue: Value {
        let reading = ReadingReference.begin(self)
        defer { reading.end() }
        if let binding = binding.current {
            guard let anchor = binding.anchor else { endProgram(scopeName: binding.scopeName) }
            return anchor.withScope(resolve)
        }
        if let anchor = Anchor.current { return anchor.withScope(resolve) }
        return GlobalScope.proxy._withUnsafeGuaranteedRef(resolve)
    }

    /// The reference itself, to read or set its scope: `$database.scope = other`.
    public var projectedValue: Injected<Value> { self }

    /// The scope the reference reads from; nil where it reads from the current one.
    ///
    /// The reference keeps the scope and its whole chain alive. The exception is a reference that lies in a value which
    /// the scope, or its chain, owns: it does not, since the two would keep each other alive for good. To tell, setting
    /// a scope looks through the values of its chain by reflection; they must not be changed by another thread
    /// meanwhile. What such a value holds weakly counts as owned too, since
    /// reflection does not tell the difference.
    public var scope: EnvironmentScope? {
        get { binding.current?.scope }
        set {
            // Bound first and looked for afterwards, so that a value stored meanwhile is not missed.
            let newValue = newValue?.bindable
            bind(to: newValue, isOwning: true)
            if let newValue, Ownership.owned(by: newValue).contains(self) { bind(to: newValue, isOwning: false) }
        }
    }

    /// The value, like ``wrappedValue``: for references that are stored as a `let`.
    public func callAsFunction() -> Value { wrappedValue }
}

extension Injected: ScopedReference {
    var location: ScopeError.Location { ScopeError.Location(fileID: fileID.description, line: line) }

    func value(in scope: EnvironmentScope) -> Any {
        let reading = ReadingReference.begin(self)
        defer { reading.end() }
        return resolve(scope)
    }

    func bind(to scope: EnvironmentScope?, isOwning: Bool) {
        binding.set(scope.map { ScopeBinding($0, isOwning: isOwning) })
        scope?.watch?.noteReference(self)
    }

    var ownedScope: EnvironmentScope? {
        guard let binding = binding.current, binding.isOwning else { return nil }
        return binding.scope
    }

    private func endProgram(scopeName: String?) -> Never {
        ScopeError(.parentReleased, detail: "its scope \(EnvironmentScope.display(scopeName)) is gone").endProgram()
    }
}
