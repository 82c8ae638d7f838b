import Synchronization

/// The explicit scope of a reference, kept alive with its chain or not.
final class ScopeBinding: Sendable {
    let isOwning: Bool
    let scopeName: String?
    private let owned: Anchor?
    private let unowned: Handle?
    /// Of a scope that a builder was given, which owns nothing.
    private let given: EnvironmentScope?

    init(_ scope: EnvironmentScope, isOwning: Bool) {
        self.isOwning = isOwning
        scopeName = scope.name
        owned = isOwning ? Anchor(scope) : nil
        given = isOwning || scope.node != nil ? nil : scope
        unowned = isOwning ? nil : scope.node.map { Links.handle(of: $0, Lines.ofThread()).takeUnretainedValue() }
    }

    /// Keeps the scope alive for a read; nil where it is gone.
    @inline(__always)
    var anchor: Anchor? { owned ?? scope.map { Anchor($0) } }

    var scope: EnvironmentScope? { owned?.scope ?? given ?? unowned?.target }
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
        let lines = Lines.shared
        let line = Lines.ofThread()
        lines.lock(line)
        defer {
            finishRetaining()
            lines.unlock(line)
        }
        return address.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    func set(_ binding: ScopeBinding?) {
        let new = binding.map { Unmanaged.passRetained($0) }
        guard let old = address.exchange(new, ordering: .acquiringAndReleasing) else { return }
        // Whoever read the old one under a line has retained it when every line was free once.
        Lines.shared.lock(.every)
        Lines.shared.unlock(.every)
        old.release()
    }
}

extension EnvironmentScope {
    /// The scope to bind a reference to: the global one for what stands for it.
    ///
    /// The scope of a builder stays what it is: it owns nothing, and stands for another scope later.
    var bindable: EnvironmentScope { node == nil && build == nil ? .global : self }
}
