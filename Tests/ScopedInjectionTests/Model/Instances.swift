/// The instances that were read, and where they are held.
struct Instances {
    struct Place: Hashable {
        let value: Int
        let owner: Int
    }

    private struct Known {
        let node: Node
        let signature: UInt64
        let isBuilt: Bool
    }

    private var now: [Place: Known] = [:]
    /// Those of the round before, if that was whole; by number, so that they are not held.
    private var before: [Place: (id: UInt64, signature: UInt64)] = [:]
    private var places: [UInt64: Place] = [:]
    private var isWhole = false
    private var gone: Set<UInt64> = []
    /// Those of them that no cleanup follows; what was built from them may stay.
    private var quietlyGone: Set<UInt64> = []
    private var rebuildable: Set<UInt64> = []
    /// Those that were there when a scope that they may depend on was moved.
    private var moved: Set<UInt64> = []

    var kept: [(key: Place, node: Node)] { now.compactMap { $1.isBuilt ? ($0, $1.node) : nil } }

    func node(of value: Int, in owner: Int) -> Node? { now[Place(value: value, owner: owner)]?.node }

    func isQuietlyGone(_ id: UInt64) -> Bool { quietlyGone.contains(id) }

    /// Whether the instance was there before a scope was moved that it may depend on.
    func wasMoved(_ id: UInt64) -> Bool { moved.contains(id) }

    /// Begins to read everything, or a part of it, after a step.
    mutating func startRound(isWhole: Bool) {
        before = isWhole && self.isWhole ? now.mapValues { ($0.node.id, $0.signature) } : [:]
        self.isWhole = isWhole
        now = [:]
        places = [:]
    }

    /// Notes that a scope has let go of what it kept, for one value or for all.
    mutating func letGo(of value: Int?, in owner: Int) {
        for (place, known) in now where place.owner == owner && place.value == value ?? place.value { letGo(of: known) }
    }

    private mutating func letGo(of known: Known) {
        if !known.isBuilt { return }
        gone.insert(known.node.id)
        if known.node.token == nil { quietlyGone.insert(known.node.id) }
    }

    /// Allows that what a scope keeps is built again, because it may have been built from what is gone.
    mutating func allowRebuild(in owner: Int) {
        for (place, known) in now where place.owner == owner && known.isBuilt { rebuildable.insert(known.node.id) }
    }

    /// Notes that a scope was moved, and may have let go of what it kept.
    mutating func move(_ owner: Int) {
        for (place, known) in now where place.owner == owner && known.isBuilt { moved.insert(known.node.id) }
    }

    /// What is wrong with an instance that a read gives; nil if nothing is.
    mutating func note(_ node: Node, _ reading: Evaluation.Reading, _ owner: Int) -> String? {
        let place = Place(value: reading.value, owner: owner)
        if let known = now[place] { return known.node === node ? nil : "there are two instances" }
        if gone.contains(node.id) { return "the scope has let go of this instance before" }
        if let other = places.updateValue(place, forKey: node.id) {
            return "the instance is that of value \(other.value) in scope \(other.owner)"
        }
        now[place] = Known(node: node, signature: reading.signature, isBuilt: reading.origin == .built)
        guard let old = before[place], old.signature == reading.signature, old.id != node.id, reading.origin == .built,
            !gone.contains(old.id), !moved.contains(old.id), !rebuildable.contains(old.id)
        else { return nil }
        return "it was built again, although its inputs are the same"
    }
}
