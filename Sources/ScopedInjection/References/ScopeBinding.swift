import Synchronization

/// The binding of a reference: the scope of its own, and whether the reference keeps it and its chain alive.
final class ScopeBinding: Sendable {
    /// Who gave the scope to the reference, which decides whether the reference owns it.
    enum Origin {
        /// The program, by `scope:` or `$x.scope`; it is owned in any case.
        case program
        /// `replace(in:)`; it is owned until the reference lies in one of the scope's own values.
        case replacing
        /// `replace(in:)`; it is not owned.
        case replacingUnowned
    }

    private let origin: Origin
    private let owned: Anchor?
    private let unowned: Handle?
    /// A builder's scope, which owns nothing.
    private let given: EnvironmentScope?

    init(_ scope: EnvironmentScope, _ origin: Origin) {
        self.origin = origin
        let isOwning = origin != .replacingUnowned
        owned = isOwning ? Anchor(scope) : nil
        given = isOwning || scope.node != nil ? nil : scope
        unowned = isOwning ? nil : scope.node.map { Links.handle(of: $0, Lines.ofThread()).takeUnretainedValue() }
    }

    var isOwning: Bool { owned != nil }

    /// The name of a scope that is not owned, for a text once it is gone.
    var scopeName: String? { unowned?.name }

    /// Whether the reference stops owning the scope once it lies in one of the scope's own values.
    var isToDisown: Bool { origin == .replacing }

    /// The anchor to read in, which keeps the scope alive; nil if the scope is gone.
    @inline(__always)
    var anchor: Anchor? { owned ?? scope.map { Anchor($0) } }

    /// The node to read in, usable until the caller unlocks the line that it holds; nil if an anchor is needed.
    @inline(__always)
    var node: NodePointer? { owned.map(\.node) ?? unowned?.node }

    var scope: EnvironmentScope? { owned?.scope ?? given ?? unowned?.target }
}

/// The place of a reference's binding, which is read without waiting for a change.
struct BindingSlot: ~Copyable, Sendable {
    private let address = Atomic<Unmanaged<ScopeBinding>?>(nil)

    deinit { address.load(ordering: .acquiring)?.release() }

    @inline(__always)
    var isSet: Bool { address.load(ordering: .relaxed) != nil }  // fault: explicit-scope

    /// The node of the scope, usable until the caller unlocks the line that it holds; nil if an anchor is needed.
    @inline(__always)
    var node: NodePointer? { address.load(ordering: .acquiring)?._withUnsafeGuaranteedRef { $0.node } }

    var current: ScopeBinding? {
        guard isSet else { return nil }
        return Lines.shared.whileReading { address.load(ordering: .acquiring)?.takeUnretainedValue() }
    }

    func set(_ binding: ScopeBinding?) {
        let new = binding.map { Unmanaged.passRetained($0) }
        Self.release(address.exchange(new, ordering: .acquiringAndReleasing))
    }

    /// Sets another binding, unless that has happened already.
    func replace(_ known: ScopeBinding, by binding: ScopeBinding) {
        let old = Unmanaged.passUnretained(known)
        let new = Unmanaged.passRetained(binding)
        let (isReplaced, _) = address.compareExchange(
            expected: old,
            desired: new,
            ordering: .acquiringAndReleasing
        )
        Self.release(isReplaced ? old : new)  // fault: bound-between
    }

    private static func release(_ old: Unmanaged<ScopeBinding>?) {
        guard let old else { return }
        // A thread that got the old one under its line needs it until that line is free.
        Lines.shared.waitForReaders()  // fault: bound-reader
        old.release()
    }
}

extension EnvironmentScope {
    /// The scope to bind a reference to; for the proxy of the global scope, the global scope.
    ///
    /// A builder's scope stays as it is, because it owns nothing and later stands for another scope.
    var bindable: EnvironmentScope { node == nil && build == nil ? GlobalScope.current : self }
}
