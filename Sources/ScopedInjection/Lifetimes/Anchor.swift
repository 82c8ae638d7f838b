import Synchronization

/// Keeps a scope and its whole chain alive: while the scope is entered, by a bound closure, by a reference.
///
/// It is also what a read retains. Retaining the scope itself would cost several times as much once a child has
/// looked for it, and would make the children of one scope meet there.
class Anchor: @unchecked Sendable {
    // Sendable because what varies is changed only by a borrower: before the anchor is current, and when that is over.

    @TaskLocal static var current: Anchor?

    /// The scope's node; nil for what a builder is given.
    @exclusivity(unchecked) final private(set) var node: NodePointer?

    // Retained by hand: a stored reference would be retained once more for each look at it.
    @exclusivity(unchecked) final private var held: Unmanaged<EnvironmentScope>

    /// Whether the anchor keeps the scope alive itself; of one that the scope lends, the borrower does.
    @exclusivity(unchecked) final private(set) var isOwner: Bool
    @exclusivity(unchecked) final private var chain: KeptChain

    final var scope: EnvironmentScope { held.takeUnretainedValue() }

    /// An anchor that owns what it keeps.
    ///
    /// - Parameter scope: A scope, or what a builder is given; the latter is kept without what it stands for.
    init(_ scope: EnvironmentScope) {
        node = scope.node
        isOwner = true
        held = .passRetained(scope)
        if let node {
            node.pointee.anchors.wrappingAdd(1, ordering: .sequentiallyConsistent)
            chain = KeptChain(outside: node)
        } else {
            chain = KeptChain()
        }
    }

    /// An anchor to lend, or one that stands for a builder's scope while the builder runs; its borrower keeps the scope.
    init(lentBy scope: Unmanaged<EnvironmentScope>, _ node: NodePointer?) {
        self.node = node
        isOwner = false
        held = scope
        chain = KeptChain()
    }

    deinit {
        guard isOwner else { return }
        chain = KeptChain()
        if let node { Self.leave(node, held) }
        held.release()
    }

    private static func leave(_ node: NodePointer, _ scope: Unmanaged<EnvironmentScope>) {
        node.pointee.anchors.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        scope._withUnsafeGuaranteedRef { $0.releaseHeldParent() }
    }

    /// The scope, for a call during which the caller keeps the anchor alive.
    @inline(__always)
    final func withScope<Result>(_ body: (EnvironmentScope) -> Result) -> Result { held._withUnsafeGuaranteedRef(body) }

    // MARK: Being lent

    /// Makes an anchor that nobody uses one of another scope.
    final func reuse(for scope: Unmanaged<EnvironmentScope>, _ node: NodePointer?) {
        held = scope
        self.node = node
    }

    /// Keeps the scope's chain alive for the next borrower, or no longer.
    final func keep(_ chain: consuming KeptChain) { self.chain = chain }

    /// Keeps the scope alive from now on, for a task or closure that the borrower has left behind.
    final func becomeOwner() {
        if let node {
            node.pointee.anchors.wrappingAdd(1, ordering: .sequentiallyConsistent)
            if chain.isEmpty { chain = KeptChain(outside: node) }
        }
        _ = held.retain()
        isOwner = true
    }
}

extension Anchor {
    // `withValue` only rethrows, so the type of the body's error has to be found again.

    @inline(__always)
    final func run<Success, Failure: Error>(_ body: () throws(Failure) -> Success) throws(Failure) -> Success {
        do {
            return try Self.$current.withValue(self, operation: body)  // fault: entered
        } catch {
            throw Self.typed(error)
        }
    }

    nonisolated(nonsending) final func run<Success, Failure: Error>(
        _ body: nonisolated(nonsending) () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        do {
            return try await Self.$current.withValue(self, operation: body)  // fault: entered-async
        } catch {
            throw Self.typed(error)
        }
    }

    private static func typed<Failure: Error>(_ error: any Error) -> Failure {
        guard let error = error as? Failure else {
            fatalError("the body threw another error than its type says: \(error)")
        }
        return error
    }
}
