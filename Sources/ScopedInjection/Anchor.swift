import Synchronization

/// Keeps a scope and its whole chain alive: while the scope is entered, by a bound closure, by a reference.
///
/// It is also what a read retains. Retaining the scope itself would cost several times as much once a child holds
/// it weakly, and would make the children of one scope meet there.
final class Anchor: Sendable {
    @TaskLocal static var current: Anchor?

    // Retained by hand: a stored reference would be retained once more for each look at it in `deinit`.
    private let held: Unmanaged<EnvironmentScope>

    /// Keeps the parent, and what lies outside it.
    private let outer: Anchor?

    /// Keeps the parent where nothing outside it has to be kept: an object less for each request.
    private let root: Unmanaged<EnvironmentScope>?

    var scope: EnvironmentScope { held.takeUnretainedValue() }

    /// - Parameter scope: A scope, or what a builder is given; the latter is kept without what it stands for.
    init(_ scope: consuming EnvironmentScope) {
        held = .passRetained(consume scope)
        (outer, root) = held._withUnsafeGuaranteedRef { scope in
            scope.addAnchor()
            // Asked after counting: a parent given from now on is held for this anchor.
            return Self.keeping(scope.state.withLock { $0.parentToKeep })
        }
    }

    /// The first anchor of a scope that is new and known to nobody else.
    ///
    /// - Parameter parent: What keeps the parent that the scope was made with.
    init(first scope: consuming EnvironmentScope, parent: KeptParent) {
        held = .passRetained(consume scope)
        (outer, root) = parent
        held._withUnsafeGuaranteedRef { $0.anchorCount.store(1, ordering: .sequentiallyConsistent) }
    }

    /// What an anchor keeps of a parent and its chain: an anchor of it, or the parent itself.
    typealias KeptParent = (Anchor?, Unmanaged<EnvironmentScope>?)

    /// Takes over the caller's reference, because retaining what children hold weakly is slow.
    static func keeping(_ parent: consuming EnvironmentScope?) -> KeptParent {
        guard let parent = consume parent, !parent.isProxy, !parent.isGlobal else { return (nil, nil) }
        // The usual case: a request is entered within its application.
        if let current, current.held.toOpaque() == Unmanaged.passUnretained(parent).toOpaque() { return (current, nil) }
        parent.addAnchor()
        if parent.isOutermost { return (nil, .passRetained(consume parent)) }
        defer { parent.removeAnchor() }
        return (Anchor(parent), nil)
    }

    deinit {
        Self.letGo(of: held)
        if let root { Self.letGo(of: root) }
    }

    private static func letGo(of scope: Unmanaged<EnvironmentScope>) {
        scope._withUnsafeGuaranteedRef { $0.removeAnchor() }
        scope.release()
    }

    /// The scope, for a call during which the caller keeps the anchor alive.
    @inline(__always)
    func withScope<Result>(_ body: (EnvironmentScope) -> Result) -> Result { held._withUnsafeGuaranteedRef(body) }
}

extension EnvironmentScope {
    /// Whether nothing outside the scope has to be kept alive: it has no parent, or the global scope.
    fileprivate var isOutermost: Bool { !hasParentToKeep.load(ordering: .sequentiallyConsistent) }

    fileprivate func addAnchor() { anchorCount.wrappingAdd(1, ordering: .sequentiallyConsistent) }

    fileprivate func removeAnchor() {
        // Of a scope that is given a parent just now, either this sees the mark or the giver sees that none is left.
        if anchorCount.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0,
            mayHoldParent.load(ordering: .sequentiallyConsistent)
        {
            releaseHeldParent()
        }
    }

    private func releaseHeldParent() {
        let released = state.withLock { state -> Anchor? in
            guard anchorCount.load(ordering: .sequentiallyConsistent) == 0 else { return nil }
            mayHoldParent.store(false, ordering: .sequentiallyConsistent)
            defer { state.heldParent = nil }
            return state.heldParent
        }
        withExtendedLifetime(released) {}
    }
}

extension Anchor {
    // `withValue` only rethrows, so the type of the body's error has to be found again.

    consuming func run<Success, Failure: Error>(_ body: () throws(Failure) -> Success) throws(Failure) -> Success {
        do {
            return try Self.$current.withValue(consume self, operation: body)
        } catch {
            throw Self.typed(error)
        }
    }

    nonisolated(nonsending) func run<Success, Failure: Error>(
        _ body: nonisolated(nonsending) () async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        do {
            return try await Self.$current.withValue(self, operation: body)
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
