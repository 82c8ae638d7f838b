/// What a builder reads the values through that its own value is built from.
///
/// ```swift
/// static var database: ScopeValue<any Database> {
///     .lazy { try SQLite(path: $0.databasePath) }
/// }
/// ```
///
/// It reads as the scope sees that asked for the value, and each read is an input of the value. Its reads throw, so one `try` in
/// front of a builder's expression covers them all, and `value(for:)` and `validate` report the error. It is no scope: it cannot
/// set, move, make or question scopes. It belongs to the builder's thread and run. It is not `Sendable`, so the compiler does not
/// let a value hold it or a task use it; a use after the builder has returned, or on another thread, ends the program.
@dynamicMemberLookup
public struct ScopeReader {
    /// The build whose builder reads, and its run.
    private let build: Borrowed<Build>
    private let run: UInt64

    init(_ build: Build, _ run: UInt64) {
        self.build = Borrowed(build)
        self.run = run
    }

    /// The value as the scope sees it that asked for the builder's value.
    ///
    /// ```swift
    /// .lazy { reader in
    ///     try Pool(path: reader.databasePath, size: reader.poolSize)
    /// }
    /// ```
    ///
    /// - Throws: ``ScopeError``.
    @inlinable
    public subscript<Value>(dynamicMember path: KeyPath<ScopeValues.Type, ScopeValue<Value>>) -> Value {
        get throws(ScopeError) { try read(ScopeValues.self[keyPath: path]) }
    }

    /// The value of a family, as the scope sees it that asked for the builder's value.
    ///
    /// ```swift
    /// .lazy { reader in
    ///     try reader[ScopeValues.flag("beta")]
    ///         ? BetaSearch() : Search()
    /// }
    /// ```
    ///
    /// - Throws: ``ScopeError``.
    public subscript<Value>(_ value: ScopeValue<Value>) -> Value {
        get throws(ScopeError) { try read(value) }
    }

    /// Improves the compiler's message for a mistyped member, and for a value that is declared without `static`; cannot be called.
    @available(*, unavailable)
    @_disfavoredOverload
    public subscript<Value>(dynamicMember path: KeyPath<ScopeValues, Value>) -> Value { fatalError("not static") }

    /// The value, or nil if nothing is set or provided and there is no default.
    ///
    /// ```swift
    /// .lazy { reader in
    ///     try Client(token: reader.valueIfAny(for: \.token))
    /// }
    /// ```
    ///
    /// - Throws: ``ScopeError`` for any other failure.
    public func valueIfAny<Value>(for value: ValueName<Value>) throws(ScopeError) -> Value? {
        let node = running.asking
        do throws(ScopeError) { return try read(value(ScopeValues.self)) } catch { return try error.asNil(node) }
    }

    /// Registers a cleanup of the value that is being built.
    ///
    /// ```swift
    /// .lazy { reader in
    ///     let pool = try Pool(path: reader.databasePath)
    ///     reader.onClose { try await pool.shutdown() }
    ///     return pool
    /// }
    /// ```
    ///
    /// It runs when nobody holds the value: the scope that keeps it, until that is closed, or the value is discarded, replaced or out of
    /// date; what was built from it, until that has ended; builds under way; bodies that ran further in at the change. Of several
    /// cleanups, the last one runs first. A transient value's cleanup belongs to what is built from the value, or else to the scope that
    /// asked. If the builder throws, it begins before the error is thrown. `Task.isCancelled` is false in it.
    public func onClose(_ cleanup: @escaping @Sendable () async throws -> Void) {
        addCleanup(Cleanup(awaited: cleanup, title: titleOfCleanup))
    }

    /// Registers a cleanup that awaits nothing, which costs a fifth of one that does.
    ///
    /// ```swift
    /// reader.onClose { span.end() }
    /// ```
    ///
    /// The compiler chooses this form for a closure without `await`. It runs at once, before the call returns that was the last to let
    /// go. Else it is like the other form.
    public func onClose(_ cleanup: @escaping @Sendable () throws -> Void) {
        addCleanup(Cleanup(plain: cleanup, title: titleOfCleanup))
    }

    /// Makes an asynchronous value, and closes it if it was ever made.
    ///
    /// Use it for what has to be opened and closed by code that awaits, as a connection.
    ///
    /// ```swift
    /// static var replica: ScopeValue<Deferred<Connection>> {
    ///     .lazy { reader in
    ///         let path = try reader.databasePath
    ///         return reader.deferred {
    ///             try await Connection.open(path)
    ///         } onClose: {
    ///             try await $0.shutdown()
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// The cleanup runs once, when that of the builder's value would (``onClose(_:)-9ahu9``). Where the value is being made, it waits for
    /// that first, which it cancels. From then on, awaiting it is the error ``ScopeError/Code/closed``. What a run has made that itself
    /// closes the scope of the value is not closed.
    ///
    /// - Parameters:
    ///   - fileID: The file of the call, for error texts.
    ///   - line: The line of the call, for error texts.
    ///   - make: Makes the value, as in ``Deferred``.
    ///   - onClose: Closes the value that was made.
    public func deferred<Value>(
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @Sendable () async throws -> Value,
        onClose: @escaping @Sendable (Value) async throws -> Void
    ) -> Deferred<Value> {
        let deferred = Deferred(running.object, SourcePlace(fileID: fileID, line: line), make)
        addCleanup(deferred.cleanup(onClose, titleOfCleanup))
        return deferred
    }

    /// Lets the compiler say what to do about an asynchronous value that nobody closes; cannot be called.
    @available(*, unavailable, message: "name what closes the value: onClose:; what needs no closing is Deferred { … }")
    public func deferred<Value>(_ make: () async throws -> Value) -> Deferred<Value> { fatalError("no onClose:") }

    @usableFromInline
    func read<Value>(_ value: ScopeValue<Value>) throws(ScopeError) -> Value { try self.value(of: value.key) }

    /// The build; ends the program if the builder does not run on this thread any more.
    @inline(__always)
    var running: Borrowed<Build> {
        if ThreadState.current.pointee.activity.build != build { Self.check(build) }
        if build.runNumber != run { Self.endProgram() }
        return build
    }

    @inline(never)
    private static func check(_ build: Borrowed<Build>) {
        if Build.onThisThread({ Borrowed($0) == build }) == nil { endProgram() }
    }

    private static func endProgram() -> Never {
        fatalError(
            """
            A ScopeReader was used after its builder had returned, or on another thread.
              To fix it: read what is needed while the builder runs, or let the value hold an Injected reference, which is read later.
            """
        )
    }
}

@available(*, unavailable)
extension ScopeReader: Sendable {}
