import Synchronization

/// Keeps a scope and its whole chain alive: while the scope is entered, by a bound closure, by a reference.
///
/// It is also what a read retains. Retaining the scope itself would cost several times as much once a child holds
/// it weakly, and would make the children of one scope meet there.
final class Anchor: Sendable {
    @TaskLocal static var current: Anchor?

    let scope: EnvironmentScope
    private let outer: Anchor?

    /// - Parameter scope: A scope, or what a builder is given; the latter is kept without what it stands for.
    convenience init(_ scope: EnvironmentScope) {
        // The global scope is always alive, and a builder's scope has no parent.
        if case .scope(let parent)? = scope.state.withLock({ $0.nextButGlobal }) {
            self.init(scope, within: parent)
        } else {
            self.init(scope, within: nil)
        }
    }

    /// - Parameter parent: The scope's parent, if it has one that is not always alive.
    init(_ scope: EnvironmentScope, within parent: EnvironmentScope?) {
        self.scope = scope
        outer = parent.map { parent in
            // The usual case: a request is entered within its application.
            if let current = Self.current, current.scope === parent { return current }
            return Anchor(parent)
        }
        scope.anchorCount.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    deinit {
        // Of a scope that is given a parent just now, either this sees the mark or the giver sees that none is left.
        if scope.anchorCount.wrappingSubtract(1, ordering: .sequentiallyConsistent).newValue == 0,
            scope.mayHoldParent.load(ordering: .sequentiallyConsistent)
        {
            scope.releaseHeldParent()
        }
    }

    /// The scope, for a call during which the caller keeps the anchor alive.
    @inline(__always)
    func withScope<Result>(_ body: (EnvironmentScope) -> Result) -> Result {
        Unmanaged.passUnretained(scope)._withUnsafeGuaranteedRef(body)
    }
}

extension EnvironmentScope {
    fileprivate func releaseHeldParent() {
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

    func run<Success, Failure: Error>(_ body: () throws(Failure) -> Success) throws(Failure) -> Success {
        do {
            return try Self.$current.withValue(self, operation: body)
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
