import Synchronization

/// What a table holds for one key.
///
/// Of atomic words, so that one can lie within the scope itself and have an address there; the table's rule is what
/// orders reads and changes, so all of them are relaxed.
struct Slot: ~Copyable {
    private let keyAddress = Atomic<UInt>(0)
    private let stampValue = Atomic<UInt64>(0)
    private let cells = Atomic<Unmanaged<AnyCell>?>(nil)
    private let ownCells = Atomic<Unmanaged<AnyCell>?>(nil)
    private let locals = Atomic<Unmanaged<LocalBinding>?>(nil)

    /// The address of the key's metatype; 0 in a free slot.
    @inline(__always)
    var key: UInt {
        get { keyAddress.load(ordering: .relaxed) }
        nonmutating set { keyAddress.store(newValue, ordering: .relaxed) }
    }

    /// How long `cell` is what a read gives: as long as this is the table's stamp, or the one of set values.
    @inline(__always)
    var stamp: UInt64 {
        get { stampValue.load(ordering: .relaxed) }
        nonmutating set { stampValue.store(newValue, ordering: .relaxed) }
    }

    /// What a read gives: the scope's own cell, or, remembered, an ancestor's.
    @inline(__always)
    var cell: Unmanaged<AnyCell>? {
        get { cells.load(ordering: .relaxed) }
        nonmutating set { cells.store(newValue, ordering: .relaxed) }
    }

    /// The value set in the scope itself; owned.
    @inline(__always)
    var own: Unmanaged<AnyCell>? {
        get { ownCells.load(ordering: .relaxed) }
        nonmutating set { ownCells.store(newValue, ordering: .relaxed) }
    }

    /// What else the scope has for the key; owned.
    @inline(__always)
    var local: Unmanaged<LocalBinding>? {
        get { locals.load(ordering: .relaxed) }
        nonmutating set { locals.store(newValue, ordering: .relaxed) }
    }

    /// Takes over all that another slot holds, which is not used any more.
    func take(from other: borrowing Slot) {
        key = other.key
        stamp = other.stamp
        cell = other.cell
        own = other.own
        local = other.local
    }
}

extension Slot {
    /// The key's type: a metatype is its address.
    var keyType: Any.Type { unsafeBitCast(key, to: Any.Type.self) }

    var provider: AnyProvider? { local?.takeUnretainedValue().provider }
    var alias: Alias? { local?.takeUnretainedValue().alias }
    var kept: AnyCell? { local?.takeUnretainedValue().kept }

    /// Whether the scope itself says what the key's value is.
    var decides: Bool { own != nil || provider != nil }

    // MARK: While writing

    /// The scope's own binding, made where there is none.
    func makeLocal() -> LocalBinding {
        if let local { return local.takeUnretainedValue() }
        let made = LocalBinding()
        local = .passRetained(made)
        return made
    }

    /// Takes out a set value for the caller to let go of without locks.
    func takeOwnCell() -> AnyCell? {
        guard let own else { return nil }
        self.own = nil
        stamp = 0
        cell = nil
        return own.takeRetainedValue()
    }

    /// Takes out a kept value for the caller to let go of without locks.
    func takeKept() -> AnyCell? {
        guard let local = local?.takeUnretainedValue() else { return nil }
        defer { local.kept = nil }
        return local.kept
    }

    /// Takes out builder, alias and kept value for the caller to let go of without locks.
    func takeLocal() -> LocalBinding? {
        defer { local = nil }
        return local?.takeRetainedValue()
    }
}
