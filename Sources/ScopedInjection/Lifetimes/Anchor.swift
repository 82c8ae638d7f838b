import Synchronization

/// Keeps a scope and its whole chain alive while the scope is entered, or held by a closure of `bind` or a reference.
///
/// A read retains the anchor instead of the scope. A retain of the scope would cost several times as much once a
/// child has looked for it, and all children of the scope would contend for its count.
@usableFromInline
final class Anchor: @unchecked Sendable {
    // Sendable because only a borrower changes the properties, before the anchor is current and after that.

    @TaskLocal static var current: Anchor?
    /// The task-local itself, for code that is inlined into a client.
    @usableFromInline static let taskLocal = $current

    /// The scope's node; nil for a builder's scope.
    @exclusivity(unchecked) private(set) var node: NodePointer?

    // Retained by hand, because a stored reference would be retained once more at each access.
    @exclusivity(unchecked) private var held: Unmanaged<EnvironmentScope>

    /// Whether the anchor itself keeps the scope alive; while it is lent, the borrower does.
    @exclusivity(unchecked) private(set) var isOwner: Bool
    @exclusivity(unchecked) private var chain: KeptChain

    var scope: EnvironmentScope { held.takeUnretainedValue() }

    /// Makes an anchor that owns its scope.
    ///
    /// - Parameters:
    ///   - scope: A scope with a node, or a builder's scope.
    ///   - isEntered: Whether code is about to run in it. Only then a builder's scope is kept with the scope that it stands for.
    init(_ scope: EnvironmentScope, isEntered: Bool = false) {
        node = scope.node
        isOwner = true
        held = .passRetained(scope)
        if let node {
            node.pointee.anchors.wrappingAdd(1, ordering: .sequentiallyConsistent)
            chain = KeptChain(outside: node)
        } else {
            chain = isEntered ? KeptChain(from: scope.target) : KeptChain()  // fault: entered-stand-in
        }
    }

    /// Makes an anchor to lend, or one for a builder's scope while the builder runs; its borrower keeps the scope
    /// alive.
    init(lentBy scope: Unmanaged<EnvironmentScope>, _ node: NodePointer?) {
        self.node = node
        isOwner = false
        held = scope
        chain = KeptChain()
    }

    deinit {
        guard isOwner else { return }
        chain = KeptChain()
        node?.pointee.anchors.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        withScope { $0.releaseHeldParent() }
        held.release()
    }

    /// The scope, without a retain; the caller keeps the anchor alive.
    var heldScope: Unmanaged<EnvironmentScope> { held }

    /// Calls a function with the scope; the caller keeps the anchor alive.
    @inline(__always)
    func withScope<Result>(_ body: (EnvironmentScope) -> Result) -> Result { held._withUnsafeGuaranteedRef(body) }

    // MARK: Being lent

    /// Gives the anchor another scope; nothing else refers to the anchor.
    func reuse(for scope: Unmanaged<EnvironmentScope>, _ node: NodePointer?) {
        held = scope
        self.node = node
    }

    /// Keeps a chain alive for the next borrower; an empty one releases it.
    func keep(_ chain: consuming KeptChain) { self.chain = chain }

    /// Keeps the scope alive from now on, for a task or closure that outlives the borrower.
    func becomeOwner() {
        if let node {
            node.pointee.anchors.wrappingAdd(1, ordering: .sequentiallyConsistent)
            // Anew, because the borrower may have kept the parent itself.
            chain = KeptChain(outside: node)  // fault: owner-chain
        }
        _ = held.retain()
        isOwner = true
    }
}

extension Anchor {
    // `withValue` only rethrows, so the type of the body's error is restored by a cast.

    @inline(__always)
    func run<Success, Failure: Error>(_ body: () throws(Failure) -> Success) throws(Failure) -> Success {
        try Self.run(in: .passUnretained(self), body)
    }

    /// Runs code in an anchor that the caller keeps alive.
    @inlinable
    @inline(__always)
    static func run<Success, Failure: Error>(
        in anchor: Unmanaged<Anchor>,
        _ body: () throws(Failure) -> Success
    ) throws(Failure) -> Success {
        do {
            return try anchor._withUnsafeGuaranteedRef { anchor in
                try taskLocal.withValue(anchor, operation: body)  // fault: entered
            }
        } catch {
            throw typed(error)
        }
    }

    nonisolated(nonsending) func run<Success, Failure: Error>(
        _ body: nonisolated(nonsending) () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        do {
            return try await Self.taskLocal.withValue(self, operation: body)  // fault: bound-async
        } catch {
            throw Self.typed(error)
        }
    }

    @usableFromInline
    static func typed<Failure: Error>(_ error: any Error) -> Failure {
        guard let error = error as? Failure else {
            fatalError("the body threw another error than its type says: \(error)")
        }
        return error
    }
}
