/// What a read asks for.
struct Question: Hashable {
    /// The scope that reads.
    let node: NodePointer
    /// The address of the value's key.
    let key: UnsafeRawPointer
    /// Which decision to go past, from the scope that made it outwards; 0 for none.
    var past: UInt64 = 0
}

/// Which binding decides on a value.
struct Decision {
    /// The version of the builder, or of a set value, or one of those that `Input` names.
    let version: UInt64
    /// How many scopes out the binding is, or the last scope where there is none: no built value is kept further out.
    let level: Int32
    /// The builder, or what forwards to another value; nil for the value's own builder and for a set value.
    var provider: Unmanaged<Provider>?
    /// The value that is set.
    var cell: Cell?
    /// The bits of what the scopes up to there decide on.
    var passed: UInt64 = 0
    /// How far out the decision is that was gone past; -1 where none was.
    var pastLevel: Int32 = -1

    /// Whether the value's own builder decides.
    var isDefault: Bool { version == Input.byDefault }
    /// Whether a parent is gone before anything decided.
    var isGone: Bool { version == Input.gone }
    /// The value that is read instead.
    var target: ValueKey? { provider?._withUnsafeGuaranteedRef { $0.target } }
}

/// What a read would give.
enum Answer {
    /// What lies in a cell of the scope that many levels out.
    case cell(Cell, level: Int32)
    /// Nothing that is there.
    case unbuilt(Decision)
    /// The question is being looked into, so the value needs itself.
    case underway

    func isCell(of version: UInt64) -> Bool {
        if case .cell(let cell, _) = self { cell.version == version } else { false }
    }
}
