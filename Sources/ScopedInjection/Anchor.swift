/// Keeps a scope and its whole chain alive: while the scope is entered, by a bound closure, by a reference.
///
/// It is also what a read retains. Retaining the scope itself would cost several times as much once a child holds
/// it weakly, and would make the children of one scope meet there.
final class Anchor: @unchecked Sendable {
    // Sendable because what varies is changed only by a borrower: before the anchor is current, and when that is over.

    @TaskLocal static var current: Anchor?

    // Retained by hand: a stored reference would be retained once more for each look at it in `deinit`.
    @exclusivity(unchecked) private var held: Unmanaged<EnvironmentScope>

    /// Whether the anchor keeps the scope alive itself; of one that the scope lends, the borrower does.
    @exclusivity(unchecked) private(set) var isOwner: Bool
    @exclusivity(unchecked) private var parent: KeptParent

    var scope: EnvironmentScope { held.takeUnretainedValue() }

    /// - Parameter scope: A scope, or what a builder is given; the latter is kept without what it stands for.
    init(_ scope: consuming EnvironmentScope) {
        scope.holders.add()
        parent = scope.keptParent()
        isOwner = true
        held = .passRetained(consume scope)
    }

    /// An anchor to lend; the scope counts the borrower among its holders.
    static func lent(by scope: EnvironmentScope, keeping parent: consuming KeptParent) -> Anchor {
        guard let anchor = SpareAnchors.take() else { return Anchor(lentBy: scope, keeping: parent) }
        anchor.held = .passUnretained(scope)
        anchor.parent = parent
        return anchor
    }

    private init(lentBy scope: EnvironmentScope, keeping parent: consuming KeptParent) {
        held = .passUnretained(scope)
        isOwner = false
        self.parent = parent
    }

    deinit {
        guard isOwner else { return }
        held._withUnsafeGuaranteedRef { $0.removeHolder() }
        held.release()
    }

    /// The scope, for a call during which the caller keeps the anchor alive.
    @inline(__always)
    func withScope<Result>(_ body: (EnvironmentScope) -> Result) -> Result { held._withUnsafeGuaranteedRef(body) }

    func isOf(_ scope: EnvironmentScope) -> Bool { held.toOpaque() == Unmanaged.passUnretained(scope).toOpaque() }

    // MARK: Being lent

    /// Keeps the scope's chain alive for the next borrower, or no longer.
    func keep(_ parent: consuming KeptParent) { self.parent = parent }

    /// Keeps the scope alive from now on, for a task or closure that the borrower has left behind.
    func becomeOwner() {
        held._withUnsafeGuaranteedRef { $0.holders.add() }
        _ = held.retain()
        isOwner = true
    }
}

extension Anchor {
    // `withValue` only rethrows, so the type of the body's error has to be found again.

    @inline(__always)
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
