import Synchronization

/// A set of values with a parent: what a scope does not say itself, its parent says for it.
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
/// A scope owns its values and holds its parent weakly: hold the parent, or enter the child, for as long as the child
/// is used. All members may be used from any thread at any time.
@dynamicMemberLookup
public final class EnvironmentScope: Sendable {
    /// The name that error texts and descriptions give the scope; nil where it was given none.
    public let name: String?

    /// What the scope holds; nil for what stands for another scope: the one given to a builder, and the global one.
    nonisolated(unsafe) let node: NodePointer?

    /// The build whose builder was given this scope.
    let build: Build?

    /// - Parameters:
    ///   - link: The handle of the parent, owned; nil for a scope that stands alone.
    ///   - watch: The watch of a scope that a test makes.
    @inline(__always)
    init(name: String?, link: Unmanaged<Handle>?, defaults: DefaultsPolicy?, watch: (any ScopeWatch)? = nil) {
        let node = NodePointer.make(readers: Lines.bit(Lines.ofThread()), isWatched: watch != nil)
        self.name = name
        self.node = node
        build = nil
        node.pointee.up = link
        node.pointee.owner = .passUnretained(self)
        if defaults != nil || watch != nil || ThreadState.current.pointee.build != nil {
            prepare(node, defaults, watch)
        }
    }

    /// The scope that is given to a builder.
    init(givenTo build: Build) {
        name = nil
        node = nil
        self.build = build
    }

    /// What stands for whichever scope is global.
    init(standingForGlobal name: String) {
        self.name = name
        node = nil
        build = nil
    }

    @inline(never)
    private func prepare(_ node: NodePointer, _ defaults: DefaultsPolicy?, _ watch: (any ScopeWatch)?) {
        if let defaults {
            node.pointee.flags.insert(defaults == .forbidden ? .forbidsDefaults : .allowsDefaults)
            node.pointee.decides |= Mask.policy
        }
        let maker = ThreadState.current.pointee.innermostBuild
        guard watch != nil || maker != nil else { return }
        if watch != nil { node.pointee.flags.insert(.watched) }
        node.pointee.isBuilderMade = maker != nil
        let rare = Unmanaged<AnyObject>.passRetained(Rare(watch: watch, making: maker))
        node.pointee.rare.store(rare, ordering: .releasing)
        if let watch { watch.noteChild(self) }
    }

    /// A scope below another one; nobody has entered it yet.
    @inline(__always)
    convenience init(name: String?, parent: borrowing EnvironmentScope?, defaults: DefaultsPolicy?) {
        let link = Links.link(to: parent, Lines.ofThread())
        let watch = (copy parent)?.watchOfChildren
        self.init(name: name, link: link, defaults: defaults, watch: watch)
    }

    /// Creates a scope with the values that `configure` sets; it is also the current scope while `configure` runs.
    ///
    /// ```swift
    /// let app = try EnvironmentScope("app") { $0.database = try SQLite(path: "notes.db") }
    /// ```
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope.
    ///   - parent: Where values come from that the scope does not have; held weakly. It is the current scope where none
    ///     is given, so that a scope made for a part of a request sees what the request sees. A scope made under
    ///     the global one follows it: when ``global`` is replaced, the new one is its parent. Nil for a scope that
    ///     stands alone.
    ///   - defaults: Whether defaults of values may be used here and below; nil for what the parent says.
    ///   - configure: Sets the values. What it throws is passed on.
    public convenience init(
        _ name: String? = nil,
        parent: borrowing EnvironmentScope? = .current,
        defaults: DefaultsPolicy? = nil,
        _ configure: (EnvironmentScope) throws -> Void
    ) rethrows {
        self.init(name: name, parent: parent, defaults: defaults)
        try configureFirst(configure)
    }

    /// Creates a scope with the values that `configure` sets; it is also the current scope while `configure` runs.
    ///
    /// The body keeps the caller's actor. See the synchronous initializer for the parameters.
    ///
    /// ```swift
    /// let app = try await EnvironmentScope("app") { $0.database = try await Postgres.connect() }
    /// ```
    ///
    /// Where `configure` throws, the cleanups that it has registered run before the error is passed on.
    public nonisolated(nonsending) convenience init(
        _ name: String? = nil,
        parent: EnvironmentScope? = .current,
        defaults: DefaultsPolicy? = nil,
        _ configure: nonisolated(nonsending) (EnvironmentScope) async throws -> Void
    ) async rethrows {
        self.init(name: name, parent: parent, defaults: defaults)
        do {
            try await run { try await configure(self) }
        } catch {
            await runCleanups()
            throw error
        }
    }

    /// A scope without values.
    ///
    /// ```swift
    /// let scope = EnvironmentScope.empty("jobs", parent: app).with(\.port, 9090)
    /// ```
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope.
    ///   - parent: Where values come from that the scope does not have; held weakly. The current scope where none is given.
    ///   - defaults: Whether defaults of values may be used here and below; nil for what the parent says.
    public static func empty(
        _ name: String? = nil,
        parent: EnvironmentScope? = .current,
        defaults: DefaultsPolicy? = nil
    ) -> EnvironmentScope {
        EnvironmentScope(name: name, parent: parent, defaults: defaults)
    }

    deinit {
        guard let node else { return }
        // From here on nobody reaches the scope any more, so no lock is held while values are let go of.
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

    /// The scope that is current where no other was entered, and the parent of scopes made without one.
    ///
    /// It always exists and has no parent. Replacing it makes the new one the parent of every scope made under it; one
    /// that another thread is just making may keep the old one, so replace it before others make scopes.
    /// Setting a scope that has a parent ends the program.
    ///
    /// ```swift
    /// EnvironmentScope.global { $0.port = 9090 }
    /// ```
    public static var global: EnvironmentScope {
        get { GlobalScope.current }
        set { GlobalScope.replace(by: newValue) }
    }

    /// The scope that was entered last: on this thread for synchronous code, in this task for asynchronous code.
    ///
    /// Child tasks and `Task { }` inherit it. `Task.detached`, Dispatch queues and foreign threads do not:
    /// `bind` carries it there: see <doc:Concurrency>. Where no scope was entered it is ``global``.
    public static var current: EnvironmentScope {
        Anchor.current?.scope ?? .global
    }

    // MARK: The parent

    /// Where values come from that the scope does not have itself; nil for a scope that stands alone, and
    /// where the parent is gone.
    ///
    /// Held weakly. A new parent changes at once what this scope and those below it read. Making a scope its own
    /// ancestor, or giving the global scope a parent, ends the program.
    public var parent: EnvironmentScope? {
        get { parentForReader() }
        set { changeable("Setting the parent").setParent(newValue) }
    }
}
