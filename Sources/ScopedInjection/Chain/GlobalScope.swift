import Synchronization

/// Holds the global scope, and lets reads and children reach it without retaining it.
final class GlobalScope: Sendable {
    private static let shared = GlobalScope()

    /// The link of all children of the global scope, whichever scope that is; never freed.
    private let link: Unmanaged<Handle>
    /// Stands for the global scope in a search; never retained, so that threads do not contend for it.
    private let proxy: Unmanaged<EnvironmentScope>
    /// Owns the global scope.
    private let owner: Guarded<EnvironmentScope>
    /// The address of its node.
    private let address: Atomic<UInt>

    private init() {
        // The first to need it may be a builder, which does not make it.
        let thread = ThreadState.current
        let building = thread.pointee.build.take()  // fault: global-made-within
        let scope = EnvironmentScope(name: "global", link: nil, defaults: nil)
        thread.pointee.build = building
        owner = Guarded(scope)
        address = Atomic(UInt(bitPattern: scope.node))
        link = .passRetained(Handle(.global, of: nil, node: scope.node, name: "global", number: 2, line: 0))
        proxy = .passRetained(EnvironmentScope(standingForGlobal: "global"))
        // Other threads may read through it.
        if let node = scope.node { _ = Links.handle(of: node, 0) }
    }

    static var link: Unmanaged<Handle> { shared.link }

    static var proxy: Unmanaged<EnvironmentScope> { shared.proxy }

    /// Whether the node is that of the global scope now.
    static func isOf(_ node: NodePointer) -> Bool {
        shared.address.load(ordering: .relaxed) == UInt(bitPattern: node)
    }

    /// A number for the scope that is global now; the caller holds a line, and has used the link before.
    static var number: UInt64 { shared.link._withUnsafeGuaranteedRef { $0.number } }

    static var current: EnvironmentScope {
        // The first access makes it, which needs the lines, so it comes before a line is held.
        let link = link
        let scope = Lines.shared.whileReading { link._withUnsafeGuaranteedRef { $0.node?.withScope { $0 } } }
        return scope ?? shared.owner.withLock { $0 }
    }

    /// Makes another scope the global one, and returns the one before.
    static func replace(by newValue: EnvironmentScope) -> EnvironmentScope {
        guard let scope = newValue.target, let node = scope.node else {
            ScopeError(
                .invalid,
                detail:
                    "The scope given to a builder cannot become the global one: the scope that kept the value is gone."
            ).endProgram()
        }
        // Other threads may read through it from now on.
        _ = Links.handle(of: node, Lines.ofThread())
        return Links.moving.withLock { _ in shared.exchange(for: scope, node) }
    }

    private func exchange(for scope: EnvironmentScope, _ node: NodePointer) -> EnvironmentScope {
        if node.hasParent {
            ScopeError(
                .invalid,
                detail: "\(scope.displayName) has a parent, so it cannot be the global scope.",
                advice: "make it with parent: nil, or take its parent away first (scope.parent = nil)."
            ).endProgram()
        }
        let old = owner.withLock { owner in
            defer { owner = scope }
            return owner
        }
        let lines = Lines.shared
        lines.lock(.every)
        let number = lines.nextVersion(0)  // fault: global-number
        link._withUnsafeGuaranteedRef { $0.lead(to: node, number: number) }
        address.store(UInt(bitPattern: node), ordering: .relaxed)
        lines.noteMove()  // fault: global-counted
        lines.unlock(.every)
        return old
    }
}

extension EnvironmentScope {
    /// Whether this is the global scope now.
    package var isGlobal: Bool { node.map(GlobalScope.isOf) ?? false }
}
