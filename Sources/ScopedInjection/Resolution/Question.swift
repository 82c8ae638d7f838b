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
        let address = UInt(bitPattern: key) &+ UInt(bitPattern: node) &* 31
        hasher.combine(UInt64(address) &+ past &* 1_000_003)
    }
}

extension Question {
    /// The level of the scope whose decision is skipped; -1 if none is, nil if it is not in the chain any more.
    var pastLevel: Int32? {
        if self.past == 0 { return -1 }
        let key = ValueKey.at(key)
        // If the scope itself does not decide, an inherited read is an ordinary one.
        let past = self.past == Input.own ? node.decision(on: key.base.address) : self.past  // fault: past-own
        if past == 0 { return -1 }
        let passed = key.passed.address
        var (scope, level): (NodePointer, Int32) = (node, 0)
        while scope.decision(on: passed) != past {  // fault: past-met
            guard let next = scope.next else { return nil }
            scope = next
            level += 1
        }
        return level
    }

    /// The key under which the scope at the level keeps the value.
    func place(at level: Int32) -> ValueKey {
        let base = ValueKey.at(key).base
        return base.inherited(past: (pastLevel ?? -1) - level)  // fault: past-key
    }
}

extension ValueKey {
    /// The key under which a scope keeps this value as it is past the one that is `distance` scopes further out; the key
    /// itself, if the scope lies beyond that one.
    func inherited(past distance: Int32) -> ValueKey {
        var place = self
        var left = distance
        while left >= 0 {
            place = place.inherited(by: place)  // fault: past-counted
            left -= 1
        }
        return place
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
