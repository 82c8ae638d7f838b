/// A question to a look: which value a read would return.
struct Question: Hashable {
    /// The node of the scope that reads.
    let node: NodePointer
    /// The address of the value's key.
    let key: UnsafeRawPointer
    /// The version of the decision to skip; 0 for none.
    var past: UInt64 = 0
    /// Whether a scope below the node's asks, which does not see what is kept for that one alone.
    var isOfChild = false

    /// By one number, because a look asks for hashes more than for anything else.
    func hash(into hasher: inout Hasher) {
        hasher.combine(UInt(bitPattern: key) &+ UInt(bitPattern: node) &* 31)
    }
}

/// What decides on a value for one read: a set value, a provider, or the key's own builder.
struct Decision {
    /// The version of the provider or the set value, or one of those that `Input` names.
    let version: UInt64
    /// The level of the deciding scope, or of the root if none decides; no built value is kept further out.
    let level: Int32
    /// The builder or alias; nil for the key's own builder and for a set value.
    var provider: Unmanaged<Provider>?
    /// The set value.
    var cell: Cell?
    /// The bits of the keys that scopes further in decide on.
    var passed: UInt64 = 0
    /// The level of the skipped decision; -1 if there is none.
    var pastLevel: Int32 = -1

    /// Whether the key's own builder decides.
    var isDefault: Bool { version == Input.byDefault }
    /// Whether a parent is gone before a scope decided.
    var isGone: Bool { version == Input.gone }
    /// The key that is read instead, for an alias.
    var target: ValueKey? { provider?._withUnsafeGuaranteedRef { $0.target } }
    /// What a read would return if no built value were kept.
    var answer: Answer { cell.map { .cell($0, level: level) } ?? .unbuilt(self) }
}

/// The answer to a question.
enum Answer {
    /// The value in a cell, and the level of its scope.
    case cell(Cell, level: Int32)
    /// The value is not there, and would have to be built.
    case unbuilt(Decision)
    /// The question is still being answered, so the value needs itself.
    case underway

    /// Whether it is a value of another version that only the asking scope may see.
    func isPinned(otherThan version: UInt64) -> Bool {
        guard case .cell(let cell, 0) = self, cell.version != version else { return false }
        return cell.kept?.pointee.isPinned == true
    }
}
