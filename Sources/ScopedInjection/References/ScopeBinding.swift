import Synchronization

/// The binding of a reference: the scope of its own, and whether the reference keeps it and its chain alive.
final class ScopeBinding: Sendable {
    private let owned: Anchor?
    private let unowned: Handle?

    init(_ scope: EnvironmentScope, isOwning: Bool) {
        owned = isOwning ? Anchor(scope) : nil
        unowned = isOwning ? nil : Links.handle(of: scope.node, Lines.shared.ofThread()).object
        // Any thread may come by such a handle, so the scope must not go while one holds a line.
        if !isOwning { scope.node.addReaders(.max) }
    }

    /// The name of a scope that is not owned, for a text once it is gone.
    var scopeName: String? { unowned?.name }

    /// The anchor to read in, which keeps the scope alive; nil if the scope is gone.
    @inline(__always)
    var anchor: Anchor? { owned ?? scope.map { Anchor($0) } }

    /// The node to read in, usable until the caller unlocks the line that it holds; nil if the scope is gone.
    @inline(__always)
    var node: NodePointer? { owned.map(\.node) ?? unowned?.node }

    var scope: EnvironmentScope? { ownedScope ?? unowned?.aliveScope }

    var ownedScope: EnvironmentScope? { owned?.scope?.object }
}

/// The place of a reference's binding, which is read without waiting for a change.
struct BindingSlot: ~Copyable, Sendable {
    private let address = Atomic<Borrowed<ScopeBinding>?>(nil)

    deinit { address.load(ordering: .acquiring)?.release() }

    @inline(__always)
    var isSet: Bool { address.load(ordering: .relaxed) != nil }

    /// The node of the scope, usable until the caller unlocks the line that it holds; nil if there is none.
    @inline(__always)
    var node: NodePointer? { address.load(ordering: .acquiring)?.node }

    var current: ScopeBinding? {
        guard isSet else { return nil }
        return Lines.shared.whileReading { address.load(ordering: .acquiring)?.object }
    }

    func set(_ binding: ScopeBinding?) {
        let old = address.exchange(binding.map { .retaining($0) }, ordering: .acquiringAndReleasing)
        guard let old else { return }
        // A thread that got the old one under its line needs it until that line is free.
        Lines.shared.waitForReaders()
        old.release()
    }
}
