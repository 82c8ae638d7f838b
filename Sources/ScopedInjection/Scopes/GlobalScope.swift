import Synchronization

/// Holds the global scope, and lets reads and children reach it without retaining it.
final class GlobalScope: Sendable {
    private static let shared = GlobalScope()

    /// The link of all children of the global scope, whichever scope that is; never freed.
    private let link: Borrowed<Handle>
    /// Owns the global scope; held while another one takes its place.
    private let owner: Guarded<EnvironmentScope>
    /// The address of its node.
    private let address: Atomic<UInt>

    private init() {
        let scope = EnvironmentScope(name: "global", link: nil, isWatched: false)
        owner = Guarded(scope)
        address = Atomic(UInt(bitPattern: scope.node))
        link = .retaining(Handle(.global, of: nil, node: scope.node, line: 0))
        Self.prepare(scope)
    }

    static var link: Borrowed<Handle> { shared.link }

    /// Whether the node is that of the global scope now.
    static func isOf(_ node: NodePointer) -> Bool {
        shared.address.load(ordering: .relaxed) == UInt(bitPattern: node)
    }

    static var current: EnvironmentScope {
        // The first access makes it, which needs the lines, so it comes before a line is held.
        let link = link
        let scope = Lines.shared.whileReading { link.with { $0.node?.withScope { $0 } } }
        return scope ?? shared.owner.withLock { $0 }
    }

    /// Makes another scope the global one, and returns the one before.
    static func replace(by scope: EnvironmentScope) -> EnvironmentScope {
        prepare(scope)
        let former = shared.exchange(for: scope, scope.node)
        former.watch?.tellOfReplacement(by: scope)
        return former
    }

    /// Makes the root of an application the global scope, so that what has lost its scope finds it; not where tests run.
    static func replace(byApplication scope: EnvironmentScope) {
        if scope.node.hasParent || scope.role != .application || TestRun.isUnderWay { return }
        let former = replace(by: scope)
        let isOpen = former.node.inspect { !former.node.pointee.flags.contains(.closed) }
        if former.role == .application, isOpen {
            writeToStandardError(
                """
                \(scope.displayName) is what code without a scope finds from now on, and no longer \(former.displayName), which is not \
                closed: a process has one scope that withScope makes with role: .application.\n
                """
            )
        }
    }

    /// Makes a scope ready to be the global one: every thread may read through it, and it has a handle to be kept by.
    private static func prepare(_ scope: EnvironmentScope) {
        scope.node.addReaders(.max)
        _ = Links.handle(of: scope.node, 0)
        TestProcess.watch(scope)
        TestProcess.tellsOfOtherProgram
    }

    private func exchange(for scope: EnvironmentScope, _ node: NodePointer) -> EnvironmentScope {
        if node.hasParent || node.hasRoles && node.pointee.role != ScopeRole.application.key {
            let reason = node.hasParent ? "a parent" : "another role than application"
            ScopeError(
                .invalid,
                detail: "\(scope.displayName) has \(reason), so it cannot be the global scope.",
                advice: node.hasParent
                    ? "make it with parent: nil." : "make it with role: .application, or without role:."
            ).endProgram()
        }
        return owner.withLock { owner in
            let lines = Lines.shared
            lines.lock(.every)
            link.with { $0.lead(to: node, from: owner.node.sum) }
            address.store(UInt(bitPattern: node), ordering: .relaxed)
            lines.unlock(.every)
            defer { owner = scope }
            return owner
        }
    }
}

extension EnvironmentScope {
    /// Whether this is the global scope now.
    package var isGlobal: Bool { GlobalScope.isOf(node) }
}
