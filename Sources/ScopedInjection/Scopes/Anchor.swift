import Synchronization

/// Keeps a scope and its whole chain alive while the scope is entered, or held by a closure of `bind` or a reference.
///
/// A read retains the anchor instead of the scope. A retain of the scope would cost several times as much once a
/// child has looked for it, and all children of the scope would contend for its count.
@usableFromInline
final class Anchor: @unchecked Sendable {
    // Sendable because only a borrower changes the properties, before the anchor is current and after that, but for those that a
    // line guards.

    /// What is in force; a struct, because copying an optional by its witnesses costs three times as much.
    @usableFromInline
    struct InForce: Sendable {
        let anchor: Anchor?

        @usableFromInline init(_ anchor: Anchor?) { self.anchor = anchor }
    }

    @TaskLocal private static var inForce = InForce(nil)
    /// The task-local itself, for code that is inlined into a client.
    @usableFromInline static let taskLocal = $inForce

    static var current: Anchor? { inForce.anchor }

    /// The scope's node; nil for the anchor of a build.
    @exclusivity(unchecked) private(set) var node: NodePointer?

    // Both are retained by hand, because a stored reference would be retained once more at each access. Whoever uses one
    // keeps the anchor alive.
    /// The scope; nil for the anchor of a build.
    @exclusivity(unchecked) private(set) var scope: Borrowed<EnvironmentScope>?
    /// The build; nil for the anchor of a scope.
    let build: Borrowed<Build>?

    /// Whether the anchor itself keeps the scope or the build alive; while it is lent, the borrower does.
    @exclusivity(unchecked) private(set) var isOwner: Bool
    @exclusivity(unchecked) private var chain: KeptChain

    // What makes it a body, guarded by the line on which that has begun.
    @exclusivity(unchecked) var line = -1
    @exclusivity(unchecked) var isBody = false
    @exclusivity(unchecked) var nextOnLine: Borrowed<Anchor>?
    @exclusivity(unchecked) var previousOnLine: Borrowed<Anchor>?
    /// The groups that wait until it leaves, owned by all of their bodies together; most bodies are in none, and few in two.
    @exclusivity(unchecked) var group: Borrowed<BodyGroup>?
    @exclusivity(unchecked) var otherGroups: [Borrowed<BodyGroup>] = []
    /// Tells those who close a scope that the body has left; nil while nobody waits for it.
    @exclusivity(unchecked) var whenLeft: (@Sendable () -> Void)?

    /// Makes an anchor that owns its scope.
    init(_ scope: EnvironmentScope) {
        (node, self.scope, build, isOwner) = (scope.node, .retaining(scope), nil, true)
        chain = KeptChain(outside: scope.node)
    }

    /// Makes an anchor to lend; its borrower keeps the scope alive.
    init(lentBy scope: Borrowed<EnvironmentScope>) {
        (node, self.scope, build, isOwner) = (scope.node, scope, nil, false)
        chain = KeptChain()
    }

    /// Makes the anchor of a build, which keeps itself alive.
    init(of build: Borrowed<Build>) {
        (node, scope, self.build, isOwner) = (nil, nil, build, false)
        chain = KeptChain()
    }

    deinit {
        guard isOwner else { return }
        // First, because what the scope has left to be cleaned up needs the chain.
        scope?.release()
        build?.release()
        chain = KeptChain()
    }

    // MARK: Being lent

    /// Gives the anchor another scope; nothing else refers to the anchor.
    func reuse(for scope: Borrowed<EnvironmentScope>) {
        (node, self.scope) = (scope.node, scope)
    }

    /// Keeps a chain alive for the next borrower.
    func keep(_ chain: consuming KeptChain) { self.chain = chain }

    /// Releases the first handle of the chain; the caller holds its line.
    @inline(__always)
    func releaseFirst() -> (scope: Borrowed<EnvironmentScope>?, outer: Borrowed<Handle>?) { chain.releaseFirst() }

    /// Keeps the scope or the build alive from now on, for a task or closure that outlives the borrower.
    func becomeOwner() {
        // The chain anew, because the borrower may have kept the parent itself.
        if let node { chain = KeptChain(outside: node) }
        _ = scope?.retain()
        _ = build?.retain()
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
                try taskLocal.withValue(InForce(anchor), operation: body)
            }
        } catch {
            throw typed(error)
        }
    }

    /// Runs code as a body of the scope, which this anchor keeps with its chain.
    func runBody<Success, Failure: Error>(_ body: () throws(Failure) -> Success) throws(Failure) -> Success {
        let lent = scope.unsafelyUnwrapped.with { Lending.borrow(ofKept: $0) }
        defer { Lending.giveBack(lent) }
        return try Self.run(in: lent.unmanaged, body)
    }

    /// The same of asynchronous code.
    nonisolated(nonsending) func runBody<Success, Failure: Error>(
        _ body: @concurrent () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        let scope = scope.unsafelyUnwrapped.object
        return try await scope.run(in: Lending.borrow(ofKept: scope).unmanaged, body)
    }

    nonisolated(nonsending) func run<Success, Failure: Error>(
        _ body: @concurrent () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        do {
            return try await Self.taskLocal.withValue(InForce(self), operation: body)
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
