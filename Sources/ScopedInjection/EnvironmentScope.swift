import Synchronization

/// A set of values with a parent, which supplies the values that the scope does not have.
///
/// A server has one scope for the application and a child of it for each request; a test has a scope without a
/// parent. Values are declared once, in extensions of ``ScopeValues``, and read as members of a scope or through
/// ``Injected``.
///
/// ```swift
/// let app = try EnvironmentScope("app") { $0.database = try SQLite(path: "notes.db") }
/// let request = EnvironmentScope("request", parent: app) { $0.user = user }
/// request { handler.run() }                                        // @Injected resolves in `request`
/// let test = EnvironmentScope("test", parent: nil) { $0.database = InMemory() }
/// ```
///
/// A scope owns its values and holds its parent weakly: keep a strong reference to the parent, or enter the child,
/// for as long as you use the child. All members may be called from any thread.
@dynamicMemberLookup
public final class EnvironmentScope: Sendable {
    /// The name of the scope in error texts and descriptions; nil if it was given none.
    public let name: String?

    /// The node of the scope; nil for a builder's scope and for the proxy of the global scope.
    nonisolated(unsafe) let node: NodePointer?

    /// The build whose builder was given this scope, owned; nil for any other scope.
    ///
    /// Unmanaged, because each read of the builder would count it.
    let given: Unmanaged<Build>?

    /// - Parameters:
    ///   - link: The handle of the parent, owned; nil for a standalone scope.
    ///   - watch: The watch of the test in whose scope, or below it, this scope is made.
    ///   - maker: The build in progress that this scope is a part of, if another thread makes it.
    @inline(__always)
    init(
        name: String?,
        link: Unmanaged<Handle>?,
        defaults: DefaultsPolicy?,
        watch: (any ScopeWatch)? = nil,
        maker: Build? = nil
    ) {
        let node = NodePointer.make(readers: Lines.bit(Lines.ofThread()), isWatched: watch != nil)
        self.name = name
        self.node = node
        given = nil
        node.pointee.up = link
        node.pointee.owner = .passUnretained(self)
        if defaults != nil || watch != nil || maker != nil || ThreadState.current.pointee.build != nil {
            prepare(node, defaults, watch, maker)
        }
    }

    /// The scope that is given to a builder.
    init(givenTo build: Unmanaged<Build>) {
        name = nil
        node = nil
        given = build.retain()
    }

    /// The proxy that stands for whichever scope is global.
    init(standingForGlobal name: String) {
        self.name = name
        node = nil
        given = nil
    }

    @inline(never)
    private func prepare(
        _ node: NodePointer,
        _ defaults: DefaultsPolicy?,
        _ watch: (any ScopeWatch)?,
        _ other: Build?
    ) {
        if let defaults {
            node.pointee.flags.insert(defaults == .forbidden ? .forbidsDefaults : .allowsDefaults)
            node.pointee.decides |= Mask.policy
        }
        // What an observer makes belongs to no build.
        let innermost = ThreadState.current.pointee.innermostBuild
        let maker = innermost?.isOfObservers == true ? other : innermost ?? other  // fault: made-by-observer
        guard watch != nil || maker != nil else { return }
        node.pointee.isBuilderMade = maker != nil
        // Reads through it have to be recorded, on whichever thread they are.
        if maker != nil { node.pointee.gate.store(0, ordering: .relaxed) }
        let above = other === maker ? nil : other  // fault: made-above
        let rare = Unmanaged<AnyObject>.passRetained(Rare(watch: watch, making: maker, above: above))
        node.pointee.rare.store(rare, ordering: .releasing)
        if let watch { watch.noteChild(self) }
    }

    /// A scope below another one, or a standalone one; it has not been entered yet.
    @inline(__always)
    convenience init(name: String?, parent: borrowing EnvironmentScope?, defaults: DefaultsPolicy?) {
        let link = Links.link(to: parent, Lines.ofThread())
        let watch = (copy parent)?.watchOfChildren
        let maker = (copy parent)?.makerOfChildren  // fault: made-elsewhere
        self.init(name: name, link: link, defaults: defaults, watch: watch, maker: maker)
    }

    /// Creates a scope with the values that `configure` sets.
    ///
    /// The new scope is the current one while `configure` runs.
    ///
    /// ```swift
    /// let app = try EnvironmentScope("app") { $0.database = try SQLite(path: "notes.db") }
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the scope in error texts.
    ///   - parent: The scope that supplies the values that this one does not have. It is held weakly. The default is
    ///     the current scope, so that a scope made for a part of a request sees what the request sees. A scope made
    ///     under the global one follows it: when ``global`` is replaced, the replacement becomes its parent. Nil
    ///     makes a standalone scope.
    ///   - defaults: Whether this scope and those below it may use the defaults of values; nil for the parent's
    ///     policy.
    ///   - configure: Sets the values. An error that it throws is passed on; the cleanups that it
    ///     registered run in a task of their own.
    public convenience init(
        _ name: String? = nil,
        parent: borrowing EnvironmentScope? = .current,
        defaults: DefaultsPolicy? = nil,
        _ configure: (EnvironmentScope) throws -> Void
    ) rethrows {
        self.init(name: name, parent: parent, defaults: defaults)
        try configureFirst(configure)
    }

    /// Creates a scope with the values that an asynchronous `configure` sets.
    ///
    /// The new scope is the current one while `configure` runs, and `configure` runs on the caller's actor. The
    /// synchronous initialiser describes the parameters.
    ///
    /// ```swift
    /// let app = try await EnvironmentScope("app") { $0.database = try await Postgres.connect() }
    /// ```
    ///
    /// If `configure` throws, the cleanups that it registered run before the error is passed on.
    public nonisolated(nonsending) convenience init(
        _ name: String? = nil,
        parent: EnvironmentScope? = .current,
        defaults: DefaultsPolicy? = nil,
        _ configure: nonisolated(nonsending) (EnvironmentScope) async throws -> Void
    ) async rethrows {
        self.init(name: name, parent: parent, defaults: defaults)
        try await run {
            do {
                try await configure(self)
            } catch {
                await runCleanups()
                throw error
            }
        }
    }

    /// Creates a scope without values.
    ///
    /// ```swift
    /// let scope = EnvironmentScope.empty("jobs", parent: app).with(\.port, 9090)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name of the scope in error texts.
    ///   - parent: The scope that supplies values; held weakly. The default is the current scope; nil makes a
    ///     standalone one.
    ///   - defaults: Whether this scope and those below it may use the defaults of values; nil for the parent's
    ///     policy.
    public static func empty(
        _ name: String? = nil,
        parent: EnvironmentScope? = .current,
        defaults: DefaultsPolicy? = nil
    ) -> EnvironmentScope {
        EnvironmentScope(name: name, parent: parent, defaults: defaults)
    }

    deinit {
        guard let node else {
            given?.release()
            return
        }
        // Nobody can reach the scope any more, so values are released without a lock.
        Links.cut(node)
        Lending.leave(node)
        let slots = node.pointee.slots
        for index in 0..<Int(node.pointee.capacity) {
            if let cell = slots[index].cell { cell.destroy() }
            if let provider = slots[index].provider { provider.release() }
        }
        node.pointee.rare.load(ordering: .acquiring)?.release()
        if let up = node.pointee.up { Links.release(up) }
        node.destroy()
    }

    // MARK: The global and the current scope

    /// The scope that is current where no other one was entered, and the default parent of new scopes there.
    ///
    /// It always exists and has no parent. A replacement becomes the parent of every scope that was made under the global
    /// scope or put there, but not of those that were made under a scope before that became the global one. A scope that
    /// another thread is making at the same time may keep the old one, so replace it before other threads make scopes. Setting
    /// a scope that has a parent ends the program, and so does setting a builder's scope whose keeper is gone.
    ///
    /// ```swift
    /// EnvironmentScope.global { $0.port = 9090 }
    /// ```
    public static var global: EnvironmentScope {
        get {
            recordGlobal()
            return GlobalScope.current
        }
        set {
            Build.noteChange()
            noteNextGlobal(newValue)
            let former = GlobalScope.replace(by: newValue)
            Ownership.noteMoved(former, below: GlobalScope.current)  // fault: replaced-bound
        }
    }

    /// The scope that was entered last: on this thread for synchronous code, in this task for asynchronous code.
    ///
    /// Child tasks and `Task { }` inherit it. `Task.detached`, Dispatch queues and foreign threads do not; `bind`
    /// carries it there (see <doc:Concurrency>). If no scope was entered, it is ``global``. While a builder runs, it is the scope
    /// that the builder was given, through which nothing can be set.
    public static var current: EnvironmentScope {
        Anchor.current?.scope ?? GlobalScope.current
    }

    // MARK: The parent

    /// The scope that supplies the values that this one does not have.
    ///
    /// It is nil for a standalone scope, and when the parent is gone, because a scope holds its parent weakly. A new
    /// parent changes at once what this scope and those below it read. Making a scope its own ancestor, giving the global scope
    /// a parent, and setting it on the scope that a builder was given end the program. So does a builder's scope, or one that
    /// the builder made, as the new parent of a scope that the builder did not make, while it runs. A scope that is made below
    /// them is no such case.
    public var parent: EnvironmentScope? {
        get { parentForReader() }
        set {
            let scope = changeable("Setting the parent")
            scope.checkMaker(isThatOf: newValue)
            scope.setParent(newValue)
            Ownership.noteMoved(scope, below: scope.nextScope)  // fault: moved-bound
        }
    }
}
