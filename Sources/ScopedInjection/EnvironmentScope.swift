import Synchronization

/// A set of values with a parent, which supplies the values that the scope does not have.
///
/// A server has one scope for the application and a child of it for each request; a test has a scope without a
/// parent. Values are declared once, in extensions of ``ScopeValues``, and read as members of a scope or through
/// ``Injected``.
///
/// ```swift
/// let app = try EnvironmentScope("app") {
///     $0.database = try SQLite(path: "notes.db")
/// }
/// let request = EnvironmentScope("request", parent: app) {
///     $0.user = user
/// }
/// request { handler.run() }  // @Injected resolves in `request`
/// let test = EnvironmentScope("test", parent: nil) {
///     $0.database = InMemory()
/// }
/// ```
///
/// A scope owns its values and holds its parent weakly: keep a strong reference to the parent, or enter the child,
/// for as long as you use the child. All members may be called from any thread.
@dynamicMemberLookup
public final class EnvironmentScope: Sendable, ScopeMemberNames {
    /// The name of the scope in error texts and descriptions; nil if it was given none.
    public let name: String?

    /// The node of the scope.
    nonisolated(unsafe) let node: NodePointer

    /// - Parameter link: The handle of the parent, owned; nil for a standalone scope.
    @inline(__always)
    init(name: String?, link: Borrowed<Handle>?, _ role: ValueKey? = nil, isWatched: Bool) {
        node = NodePointer.make(Lines.shared.ofThread(), link, role)
        self.name = name
        node.pointee.owner = Borrowed(self)
        if isWatched { node.markWatched() }
    }

    /// A scope with a node that is there already.
    init(name: String?, node: NodePointer) { (self.name, self.node) = (name, node) }

    /// A scope below another one, or a standalone one; it has not been entered yet.
    @inline(__always)
    convenience init(name: String?, role: ScopeRole?, parent: borrowing EnvironmentScope?, defaults: DefaultsPolicy?) {
        let isWatched = parent.isWatched
        // A root is not passed by any walk.
        if let role, parent != nil, role.key.bit == 0 { role.key.assignBit() }
        let link = Links.link(to: parent, Lines.shared.ofThread())
        self.init(name: name, link: link, role?.key, isWatched: isWatched)
        if let defaults { setDefaults(defaults) }
        if parent == nil, defaults != .allowed { TestProcess.prepare(self) }
        if isWatched { beWatchedAsParent() }
    }

    /// Creates a scope with the values that `configure` sets.
    ///
    /// The new scope is the current one while `configure` runs.
    ///
    /// ```swift
    /// let app = try EnvironmentScope("app") {
    ///     $0.database = try SQLite(path: "notes.db")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the scope in error texts.
    ///   - role: What the scope is for: values that are begun once in that role stay in it. Nil for none.
    ///   - parent: The scope that supplies the values that this one does not have. It is held weakly. The default is
    ///     the current scope, so that a scope made for a part of a request sees what the request sees. A scope made
    ///     under the global one follows it: when ``global`` is replaced, the replacement becomes its parent. Nil
    ///     makes a standalone scope.
    ///   - defaults: Whether this scope and those below it may use the defaults of values; nil for the parent's
    ///     policy.
    ///   - configure: Sets the values. An error that it throws is passed on, after the cleanups that it
    ///     registered; from the first that has to be awaited they run in a task of their own.
    public convenience init(
        _ name: String? = nil,
        role: ScopeRole? = nil,
        parent: borrowing EnvironmentScope? = .current,
        defaults: DefaultsPolicy? = nil,
        _ configure: (EnvironmentScope) throws -> Void
    ) rethrows {
        self.init(name: name, role: role, parent: parent, defaults: defaults)
        try configureFirst(configure)
    }

    /// Creates a scope with the values that an asynchronous `configure` sets.
    ///
    /// The new scope is the current one while `configure` runs, on the actor in which it is written. The synchronous
    /// initialiser describes the parameters.
    ///
    /// ```swift
    /// let app = try await EnvironmentScope("app") {
    ///     $0.database = try await Postgres.connect()
    /// }
    /// ```
    ///
    /// If `configure` throws, the cleanups that it registered run before the error is passed on.
    public nonisolated(nonsending) convenience init(
        _ name: String? = nil,
        role: ScopeRole? = nil,
        parent: EnvironmentScope? = .current,
        defaults: DefaultsPolicy? = nil,
        _ configure: @concurrent (EnvironmentScope) async throws -> Void
    ) async rethrows {
        self.init(name: name, role: role, parent: parent, defaults: defaults)
        try await run {
            do {
                try await configure(self)
            } catch {
                await closeAtEnd()
                throw error
            }
        }
    }

    /// Runs the configuration of a new scope, which nothing else refers to yet.
    @inline(__always)
    private func configureFirst(_ configure: (EnvironmentScope) throws -> Void) rethrows {
        let anchor = Lending.borrowFirst(of: self, node)
        defer { Lending.giveBack(anchor) }
        do {
            try anchor.with { anchor in
                try Anchor.taskLocal.withValue(Anchor.InForce(anchor)) { try configure(self) }
            }
        } catch {
            closeAfterFailure(.body)
            throw error
        }
    }

    /// Lets the compiler say how to make a scope without values; cannot be called.
    @available(*, unavailable, message: "without values it is EnvironmentScope.empty")
    @_disfavoredOverload  // With the closure, the compiler does not crash at an error in another configuration.
    public convenience init(
        _ name: String? = nil,
        role: ScopeRole? = nil,
        parent: EnvironmentScope? = .current,
        defaults: DefaultsPolicy? = nil,
        _ configure: (EnvironmentScope) throws -> Void = { _ in }
    ) {
        fatalError("without values")
    }

    /// Creates a scope without values.
    ///
    /// ```swift
    /// let scope = EnvironmentScope.empty("jobs", parent: app)
    ///     .with(\.port, 9090)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the scope in error texts.
    ///   - role: What the scope is for; nil for none.
    ///   - parent: The scope that supplies values; held weakly. The default is the current scope; nil makes a
    ///     standalone one.
    ///   - defaults: Whether this scope and those below it may use the defaults of values; nil for the parent's
    ///     policy.
    public static func empty(
        _ name: String? = nil,
        role: ScopeRole? = nil,
        parent: EnvironmentScope? = .current,
        defaults: DefaultsPolicy? = nil
    ) -> EnvironmentScope {
        EnvironmentScope(name: name, role: role, parent: parent, defaults: defaults)
    }

    deinit {
        // Nobody can reach the scope any more, so values are let go of without a lock.
        Links.cut(node)
        let hasPending = node.pointee.flags.contains(.pending) && Ending.shared.hasPending(node)
        if node.pointee.cleanups != nil || hasPending { return Self.closeUnclosed(of: node, name) }
        for index in 0..<Int(node.pointee.capacity) {
            let slot = node.pointee.slots[index]
            slot.cell?.destroy()
            slot.provider?.release()
        }
        node.pointee.extras.load(ordering: .acquiring)?.release()
        if let up = node.pointee.up { Links.release(up) }
        node.destroy()
    }

    // MARK: The global and the current scope

    /// The scope that is current where no other one was entered, and the default parent of new scopes there.
    ///
    /// It always exists and has no parent. A replacement becomes the parent of every scope that was made under the global scope. The
    /// root of an application becomes it by itself: see
    /// ``withScope(_:role:parent:defaults:closingWithin:_:operation:)``.
    public static var global: EnvironmentScope {
        get { GlobalScope.current }
        set { _ = GlobalScope.replace(by: newValue) }
    }

    /// The scope that was entered last: on this thread for synchronous code, in this task for asynchronous code.
    ///
    /// If no scope was entered, it is ``global``. While the builder of a value runs that stays (``ValueLifetime/once(in:)``), it is the
    /// scope that keeps it. While that of another value runs, there is none, because the scope that will keep the value is not known yet: asking
    /// ends the program. In a task that a builder started, it is the scope that keeps the value, once the builder is over.
    ///
    /// ```swift
    /// let port = EnvironmentScope.current.port
    /// ```
    public static var current: EnvironmentScope {
        guard let anchor = Anchor.current else { return GlobalScope.current }
        if let scope = anchor.scope { return scope.object }
        do throws(ScopeError) { return try ReadingContext(anchor).scope() } catch { error.endProgram() }
    }

    /// The scope for which the code works that runs now, for log lines.
    ///
    /// It is the ``current`` scope, and in a builder, where that ends the program, the scope that asked for the value. What is read
    /// through it is no input of that value, which all requests share as before. So a metadata provider that each log line calls
    /// can use it (<doc:Logging>).
    ///
    /// ```swift
    /// let metadata = EnvironmentScope.forLogging.requestID ?? "none"
    /// ```
    ///
    /// Do not build a value from it: the first request's would stay in a value of all. It waits for nothing: in a task that a builder
    /// started, it is the scope that asked until the value is built.
    public static var forLogging: EnvironmentScope { Anchor.current.map { ReadingContext.forLogging($0) } ?? .global }

    // MARK: The parent

    /// The scope that supplies the values that this one does not have, which is the one that it was made with.
    ///
    /// It is nil for a standalone scope, and when the parent is gone, because a scope holds its parent weakly. That of a scope which
    /// was made under the global one is whichever scope is ``global``.
    ///
    /// ```swift
    /// #expect(request.parent === app)
    /// ```
    public var parent: EnvironmentScope? { nextScope }

    /// What the scope is for, as it was made with; nil for none.
    ///
    /// The scope that a trait makes for a test stands for every role, and has none here.
    ///
    /// ```swift
    /// #expect(request.role == .request)
    /// ```
    public var role: ScopeRole? { node.pointee.role.map { ScopeRole($0) } }
}

extension EnvironmentScope? {
    @inline(__always)
    fileprivate var isWatched: Bool { self?.node.isWatched ?? false }
}
