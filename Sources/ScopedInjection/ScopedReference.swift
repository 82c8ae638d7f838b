import Synchronization

/// What can be done with a reference whatever the type of its values.
protocol ScopedReference: AnyObject, Sendable {
    /// Where the reference stands in the source.
    var location: ScopeError.Location { get }

    /// What the reference resolves to in a scope.
    func value(in scope: EnvironmentScope) -> Any

    /// Sets the scope, and whether the reference keeps it alive.
    func bind(to scope: EnvironmentScope?, isOwning: Bool)

    /// The explicit scope, where the reference keeps it alive.
    var ownedScope: EnvironmentScope? { get }
}

/// The explicit scope of a reference, kept alive with its chain or not.
final class ScopeBinding: Sendable {
    let isOwning: Bool
    let scopeName: String?
    private let owned: Anchor?
    private let unowned: Guarded<WeakScope>

    private struct WeakScope: Sendable {
        weak var scope: EnvironmentScope?
    }

    init(_ scope: EnvironmentScope, isOwning: Bool) {
        self.isOwning = isOwning
        scopeName = scope.name
        owned = isOwning ? Anchor(scope) : nil
        unowned = Guarded(WeakScope(scope: isOwning ? nil : scope))
        if isOwning { Ownership.noteBinding(to: scope) }
    }

    /// Keeps the scope alive for a read; nil where it is gone.
    var anchor: Anchor? {
        owned ?? unowned.withLock { $0.scope }.map { Anchor($0) }
    }

    var scope: EnvironmentScope? {
        owned?.scope ?? unowned.withLock { $0.scope }
    }
}

/// Holds the binding of a reference, if it has one; read without waiting.
struct BindingSlot: ~Copyable, Sendable {
    private let address = Atomic<Unmanaged<ScopeBinding>?>(nil)

    deinit { address.load(ordering: .acquiring)?.release() }

    @inline(__always)
    var current: ScopeBinding? {
        if address.load(ordering: .relaxed) == nil { return nil }
        return retained()
    }

    private func retained() -> ScopeBinding? {
        let locks = ReaderLocks.shared
        let line = ReaderLocks.lineOfThread()
        locks.lockLine(line)
        defer {
            finishRetaining()
            locks.unlockLine(line)
        }
        return address.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    func set(_ binding: ScopeBinding?) {
        let new = binding.map { Unmanaged.passRetained($0) }
        let locks = ReaderLocks.shared
        locks.lockLines(ReaderLocks.everyLine)
        let old = address.exchange(new, ordering: .acquiringAndReleasing)
        locks.unlockLines(ReaderLocks.everyLine)
        old?.release()
    }
}
