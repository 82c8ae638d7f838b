import Synchronization

/// An update that is not made yet: its scope is a child of the changed one, in which its closure sets and provides.
///
/// What depends on that is built there, as in any child, and what does not is kept further out. One step moves all of it into the changed
/// scope. Whoever makes one ends it once, by `end` or `drop`.
final class Staging: @unchecked Sendable {
    // Sendable because what changes is guarded by the lines of the readers of the changed scope.
    /// How many there are, so that a change looks only then whether it is made in the closure of one.
    static let inProgress = Atomic(0)

    let changed: EnvironmentScope
    let scope: EnvironmentScope
    /// The versions of what the changed scope decided on when the update began.
    let former: [UnsafeRawPointer: UInt64]
    /// What was set that is equal to what the changed scope has set, which has no part in the update.
    @exclusivity(unchecked) var equal: [ValueKey: Cell] = [:]
    /// The decisions of what is built anew, here and in the changed scope.
    @exclusivity(unchecked) var renewed: [ValueKey: (own: UInt64, real: UInt64)] = [:]
    /// What the closure has done that it may not do.
    @exclusivity(unchecked) private var refusal: (value: ValueKey, deed: String)?

    var app: NodePointer { changed.node }
    var node: NodePointer { scope.node }

    init(of changed: EnvironmentScope) throws(ScopeError) {
        let app = changed.node
        if changed.isInUpdate { throw .updateInUpdate(of: changed) }
        let link = Links.ownLink(to: app, Lines.shared.ofThread())
        (self.changed, scope) = (changed, EnvironmentScope(name: changed.name, link: link, isWatched: app.isWatched))
        let lines = app.startWriting()
        former = app.decisions
        for node in [app, scope.node] where !node.pointee.hasKept {
            // So that a set does not take the short way.
            node.markTidied()
            node.pointee.hasKept = true
        }
        scope.node.pointee.flags.formUnion([.beginsForNext, .part])
        scope.node.makeExtras().changing = self
        app.finishWriting(lines)
        Self.inProgress.add(1, ordering: .relaxed)
    }

    // MARK: In the closure

    /// Notes that the closure removes or decorates a value.
    func refuse(_ value: ValueKey, _ deed: String) {
        app.whileWriting { refusal = refusal ?? (value, deed) }
    }

    /// Takes a value that is set, if it is equal to the one that the changed scope has set; false if it is not.
    func takeEqual<Value>(_ value: Value, for key: ValueKey) -> Bool {
        let old = app.inspect {
            app.slot(key.address)?.pointee.setCell.map { ($0.value(as: Value.self), $0.version) }
        }
        var cell = old.flatMap { old, version in
            Equality.areEqual(old, value, key) ? Cell.make(value, key, version: version) : nil
        }
        let isEqual = cell != nil
        if isEqual, node.inspect({ node.decides(on: key.address) }) {
            Changing.change(key, in: node) { slot, _, garbage in
                garbage.empty(slot, of: node)
                node.countRemoval()
                return true
            }
        }
        app.whileWriting { swap(&equal[key], &cell) }
        cell?.destroy()
        return isEqual
    }

    /// Lets values be built anew that the changed scope keeps, after the closure, whose misuse is thrown.
    func renew(_ keys: [ValueKey]) throws(ScopeError) {
        if let (value, deed) = app.inspect({ refusal }) { throw .updateOnlySets(changed, value, deed) }
        for key in keys where app.inspect({ !node.decides(on: key.address) }) {
            let (kept, decision) = app.inspect { () -> (Bool?, Look) in
                let kept = app.slot(key.address)?.pointee.cell?.kept
                return (kept.map { Look.isCurrent($0, of: key.address, in: app) }, Look.decide(key.address, from: app))
            }
            // What stays may have been set further out since it began: then nothing is built in its place.
            if kept != true || decision.cell != nil { throw .updateOfUnkept(key, in: changed) }
            if decision.isNowhere { throw changed.parentReleased(key) }
            renew(key, key.valueType)
        }
    }

    /// Carries out the decision on a value once more: the same builder, or one that does what the value's own would.
    private func renew<Value>(_ key: ValueKey, _: Value.Type) {
        Changing.change(key, in: node) { slot, version, garbage in
            // What the closure has read was built from what is built anew.
            node.takeKept(.built(from: key), &garbage, .unmade)
            let (decision, policy) = (Look.decide(key.address, from: app), PolicyInForce(in: node))
            let isInTests = policy.policy != .allowed && key.hasTestValue
            let provider =
                decision.provider?.object
                ?? Builder<Value>(version: version | Input.likeDefault, .beyond, over: nil) { reader in
                    if !key.isSafeInTests { reader.running.with { $0.record(policy: policy) } }
                    return try ThreadState.current.make { try key.make(reader, isInTests: isInTests, into: $0) }
                }
            slot.pointee.provider = .retaining(provider)
            renewed[key] = (provider.version, decision.version)
            return true
        }
    }

    // MARK: Building

    func isNamed(_ key: ValueKey) -> Bool { app.inspect { renewed[key] != nil } }

    /// Builds what the changed scope keeps and would not be given with the changes, and returns it.
    func build() throws(ScopeError) -> [ValueKey] {
        let keys = node.inspect { findConcerned() }
        var (failed, failures): (Set<ValueKey>, [ScopeError]) = ([], [])
        for key in keys where failed.isEmpty || !isBuilt(key, from: failed) {
            for error in scope.build([key]) {
                failed.formUnion([key, error.subject ?? key])
                failures.append(error)
            }
        }
        try ScopeError.throwAll(failures)
        return keys
    }

    /// Whether the value is one of some that have failed, or the changed scope has built it from one.
    private func isBuilt(_ key: ValueKey, from failed: Set<ValueKey>) -> Bool {
        let kept = { self.app.slot(key.address)?.pointee.cell?.kept }
        return failed.contains(key)
            || app.inspect { kept()?.inputs.contains { failed.contains(.at($0.key)) } == true }
    }

    private func findConcerned() -> [ValueKey] {
        if node.pointee.decides == Mask.pinned { return [] }
        return app.keys { slot in
            // What stays is found, and so is not built anew unless it is named; what is for the scope alone is left to the next read.
            guard let key = slot.key, let kept = slot.cell?.kept, !kept.isPinned,
                Look.find(key, from: node).cell == nil
            else { return false }
            return Look.isCurrent(kept, of: key, in: app)
        }
    }
}

// MARK: - What changes do in the scope of an update

extension UnsafeMutablePointer where Pointee == Node {
    /// The update whose scope it is.
    var staging: Staging? {
        if extras == nil { return nil }
        return inspect { extras?.changing as? Staging }
    }

    /// Whether it has the changes of an update that is not made; the caller holds a line.
    var isStaging: Bool { pointee.flags.contains(.beginsForNext) }

    /// What a provider goes over: what the scope has, or else what the scope has that is changed; the caller holds a line.
    func base(of slot: UnsafeMutablePointer<Slot>) -> Slot {
        guard isStaging, !slot.pointee.decides, let key = slot.pointee.key else { return slot.pointee }
        return next?.slot(key)?.pointee ?? Slot()
    }

    /// The version of what the scope itself sets or provides; 0 for nothing.
    func decision(on key: UnsafeRawPointer) -> UInt64 { slot(key)?.pointee.version ?? 0 }

    fileprivate var decisions: [UnsafeRawPointer: UInt64] {
        var all: [UnsafeRawPointer: UInt64] = [:]
        forEachSlot { slot in
            if slot.pointee.decides, let key = slot.pointee.key { all[key] = slot.pointee.version }
        }
        return all
    }
}
