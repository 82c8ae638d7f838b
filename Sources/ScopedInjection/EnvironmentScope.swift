import Synchronization

/// A set of values with a parent: what a scope does not say itself, its parent says for it.
///
/// A server has one scope for the application and a child of it for each request; a test has a scope without a
/// parent. Values are read through properties declared in extensions (see ``ScopeKey``), through ``Injected`` or by
/// key.
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
public final class EnvironmentScope: Sendable {
    /// The name that error texts and descriptions give the scope; nil where it was given none.
    public let name: String?

    let role: Role
    /// Whether the role is `.global`, without looking into it.
    let isProxy: Bool
    let defaults: DefaultsPolicy?

    /// Whether a reference was ever bound to this scope; to it or one below it.
    let isBound = Atomic(false)
    let isBoundBelow = Atomic(false)

    /// Whether the scope has a parent that is not always alive.
    let hasParentToKeep = Atomic(false)

    /// Who keeps the scope in force: as long as somebody does, a new parent is held too.
    let holders = Holders()

    /// Tells scopes further in whether they are known to read through this one.
    let lineageAddress = Atomic<UInt>(0)

    /// The watch under which the scope was made: its own, or the one of a scope above.
    let watch: ScopeWatch?

    /// Safe because it is read under a line of the table and changed under the mutex and all lines.
    @exclusivity(unchecked) nonisolated(unsafe) var parentLink = ParentLink()

    let table: ScopeTable
    let state: Guarded<ScopeState>

    /// What an instance of the class stands for.
    enum Role: Sendable {
        /// A scope with values of its own.
        case scope
        /// The scope given to `makeValue`: it stands for the asking scope, later for the one that keeps the value.
        case builder(Build)
        /// Whichever scope is the global one at the time. Never freed, so that reads need not retain it.
        case global
    }

    /// - Parameters:
    ///   - watch: The watch of a scope that a test makes; else the parent's is taken.
    ///   - keep: Takes over the reference to the parent, since retaining what children hold weakly is slow.
    init(
        name: String?,
        role: Role,
        parent: consuming EnvironmentScope?,
        defaults: DefaultsPolicy?,
        watch: ScopeWatch? = nil,
        keep: (consuming EnvironmentScope) -> Void = { _ in }
    ) {
        self.name = name
        self.role = role
        isProxy = if case .global = role { true } else { false }
        self.defaults = defaults
        table = ScopeTable(locks: .shared)
        state = Guarded(ScopeState())
        if let parent = consume parent {
            parentLink.attach(to: parent)
            hasParentToKeep.store(parentLink.hasScope, ordering: .relaxed)
            if case .builder(let build) = parent.role { build.noteChild() }
            self.watch = watch ?? parent.watch
            keep(consume parent)
        } else {
            self.watch = watch
        }
        if watch == nil { self.watch?.noteChild(self) }
        if isProxy { table.addEveryReader() }
        if defaults == .forbidden { DefaultsPolicy.noteUse() }
    }

    /// Creates a scope with the values that `configure` sets; it is also the current scope while `configure` runs.
    ///
    /// ```swift
    /// let app = try EnvironmentScope("app") { $0.database = try SQLite(path: "notes.db") }
    /// ```
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope.
    ///   - parent: Where values come from that the scope does not have; held weakly. A scope made under the global
    ///     one follows it: when ``global`` is replaced, the new one is its parent. Nil for a scope that stands alone.
    ///   - defaults: Whether defaults of keys may be used here and below; nil for what the parent says.
    ///   - configure: Sets the values. What it throws is passed on.
    public convenience init(
        _ name: String? = nil,
        parent: EnvironmentScope? = .global,
        defaults: DefaultsPolicy? = nil,
        _ configure: (EnvironmentScope) throws -> Void
    ) rethrows {
        var kept = KeptParent.nothing
        self.init(name: name, role: .scope, parent: consume parent, defaults: defaults) { kept = KeptParent($0) }
        try run(in: holders.borrowFirst(for: self, keeping: kept)) { try configure(self) }
    }

    /// Creates a scope with the values that `configure` sets; it is also the current scope while `configure` runs.
    ///
    /// The body keeps the caller's actor. See the synchronous initializer for the parameters.
    ///
    /// ```swift
    /// let app = try await EnvironmentScope("app") { $0.database = try await Postgres.connect() }
    /// ```
    public nonisolated(nonsending) convenience init(
        _ name: String? = nil,
        parent: EnvironmentScope? = .global,
        defaults: DefaultsPolicy? = nil,
        _ configure: nonisolated(nonsending) (EnvironmentScope) async throws -> Void
    ) async rethrows {
        self.init(name: name, role: .scope, parent: parent, defaults: defaults)
        try await run { try await configure(self) }
    }

    /// A scope without values.
    ///
    /// ```swift
    /// let scope = EnvironmentScope.empty("jobs", parent: app).with(\.port, 9090)
    /// ```
    ///
    /// - Parameters:
    ///   - name: What error texts call the scope.
    ///   - parent: Where values come from that the scope does not have; held weakly.
    ///   - defaults: Whether defaults of keys may be used here and below; nil for what the parent says.
    public static func empty(
        _ name: String? = nil,
        parent: EnvironmentScope? = .global,
        defaults: DefaultsPolicy? = nil
    ) -> EnvironmentScope {
        EnvironmentScope(name: name, role: .scope, parent: parent, defaults: defaults)
    }

    deinit {
        // No lock is held while values are freed: their deinit may use any scope.
        let isFollowed = lineageAddress.load(ordering: .acquiring) != 0 && state.withLock { $0.isFollowed }
        table.removeEverything(isFollowed: isFollowed)
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
        get { standIn?.nextScope.scope }
        set { changeable("Setting the parent").setParent(newValue) }
    }
}
