import Synchronization

/// Finds what reads would return at one moment, without building anything.
///
/// It is asked while a line is held that every node of the chain has in `readers`. It checks the inputs of kept values
/// without recursion, and answers each question once.
struct Look: ~Copyable {
    /// What it found out by checking inputs; nil as long as there was no need to.
    private(set) var notes: Notes?

    /// Whether facts that may differ at every look are taken to hold.
    var overlooksChanging = false
    /// Whether there was one.
    var hasOverlooked = false

    /// What a look notes down while it checks inputs.
    final class Notes {
        @exclusivity(unchecked) var answers: [Question: Answer] = [:]
        @exclusivity(unchecked) var frames: [Frame] = []
        /// Kept values that are out of date, in the chain of the first question.
        @exclusivity(unchecked) var stale: [Stale] = []
        @exclusivity(unchecked) var rejections: Rejections? = .current
    }

    struct Stale {
        let level: Int32
        let key: UnsafeRawPointer
        let version: UInt64
    }

    /// A kept value that may be the answer.
    struct Candidate {
        /// The key it is kept under; see `Question.place(at:)`.
        let key: UnsafeRawPointer
        let cell: Cell
        let kept: UnsafeMutablePointer<Kept>
        let node: NodePointer
        let level: Int32
        /// The bits of the keys that scopes further in decide on.
        let between: UInt64
    }

    /// A question whose candidates are being checked.
    struct Frame {
        let question: Question
        /// The level of the question's node in the chain of the first question; nil in another chain.
        let base: Int32?
        let decision: Decision
        var candidates: [Candidate]
        var next = 0
        var check: Check?
    }

    /// The progress of checking the inputs of one kept value.
    struct Check {
        let inputs: UnsafeBufferPointer<Input>
        let viewpoint: NodePointer
        /// The level of the kept value, counted from the viewpoint.
        var distance: Int32
        /// Whether it looks from the keeper.
        ///
        /// A candidate is checked twice: from its keeper, which renews its stamp, and then from the asking scope, which
        /// decides.
        var isFromKeeper: Bool { distance == 0 }
        var next = 0
        var mask: UInt64
        var nearest = Input.nowhere
    }

    // MARK: Asking

    /// What a read would return.
    mutating func answer(_ question: Question) -> Answer {
        if let answer = glance(question, base: 0) { return answer }
        run()
        return notes?.answers[question] ?? .underway
    }

    /// The level and the mask of some inputs, if a read in the scope would see all of them; otherwise nil.
    mutating func nearest(of inputs: UnsafeBufferPointer<Input>, from node: NodePointer) -> Nearest? {
        var check = Check(inputs: inputs, viewpoint: node, distance: 0, mask: 0)
        while true {
            switch advance(&check, base: 0) {
            case .holds: return Nearest(level: check.nearest, mask: check.mask)
            case .differs: return nil
            case .waits: run()
            }
        }
    }

    /// The same of one input, for a scope from which its level was not counted; what differs at each look is overlooked.
    static func nearest(of input: Input, from node: NodePointer) -> Nearest? {
        var look = Look()
        look.overlooksChanging = true
        return withUnsafePointer(to: input) { look.nearest(of: UnsafeBufferPointer(start: $0, count: 1), from: node) }
    }

    /// The level and the mask that inputs give to their value.
    struct Nearest {
        var level = Input.nowhere
        var mask: UInt64 = 0
    }

    /// The answer, if it needs no check of inputs; otherwise pushes a frame.
    mutating func glance(_ question: Question, base: Int32?) -> Answer? {
        if let notes, let known = notes.answers[question] { return known }
        var candidates: [Candidate] = []
        let decision = Self.decide(question) { candidates.append($0) }
        guard let first = candidates.first else { return decision.answer }
        if first.kept.pointee.decision == decision.version, first.isSeenWithoutLooking, decision.cell == nil {
            return .cell(first.cell, level: first.level)
        }
        return push(Frame(question: question, base: base, decision: decision, candidates: candidates))
    }

    /// Leaves the candidates of a question to be checked; returns the answer if all were rejected before.
    @inline(never)
    private mutating func push(_ frame: consuming Frame) -> Answer? {
        let notes = notes ?? Notes()
        self.notes = notes
        if let known = notes.rejections {
            let question = frame.question
            frame.candidates.removeAll { known.contain($0.cell, for: question) }
            if frame.candidates.isEmpty { return frame.decision.answer }
        }
        notes.answers[frame.question] = .underway
        notes.frames.append(frame)
        return nil
    }

    /// The decision on a value.
    static func decide(_ question: Question) -> Decision { decide(question) { _ in } }

    /// The decision on a value, and the kept values on the way to it.
    private static func decide(_ question: Question, _ candidate: (Candidate) -> Void) -> Decision {
        let base = ValueKey.at(question.key).base
        let pastLevel = question.pastLevel
        var node = question.node
        var level: Int32 = 0
        var between = question.isOfChild ? Mask.pinned : 0  // fault: child-pinned
        func decision(_ version: UInt64, _ provider: Unmanaged<Provider>? = nil, _ cell: Cell? = nil) -> Decision {
            Decision(
                version: version,
                level: level,
                provider: provider,
                cell: cell,
                passed: between
            )
        }
        while true {
            let isPast = level > pastLevel ?? .max
            var place: ValueKey? = isPast ? base : nil
            if !isPast, let pastLevel, node.pointee.flags.contains(.inherits) {  // fault: past-kept
                place = base.inherited(past: pastLevel - level)
            }
            if let place, let slot = node.slot(place.address)?.pointee {
                if let cell = slot.cell, let kept = cell.kept {
                    let key = place.address
                    candidate(Candidate(key: key, cell: cell, kept: kept, node: node, level: level, between: between))
                }
                if isPast, let provider = slot.provider {  // fault: look-provider
                    return decision(provider._withUnsafeGuaranteedRef { $0.version }, provider)
                }
                if isPast, let cell = slot.cell, cell.isSet { return decision(cell.version, nil, cell) }
            }
            between |= node.pointee.decides
            guard let up = node.pointee.up else { return decision(pastLevel == nil ? Input.lost : Input.byDefault) }
            guard let next = up._withUnsafeGuaranteedRef({ $0.reached }) else {
                return decision(Input.gone)  // fault: parent-gone
            }
            node = next
            level += 1
        }
    }
}

extension Look.Candidate {
    /// Whether the value is checked already, and no scope further in decides on anything that it was built from.
    var isSeenWithoutLooking: Bool {
        kept.pointee.checked.load(ordering: .acquiring) == node.stamp  // fault: look-stamp
            && between & kept.pointee.mask.load(ordering: .relaxed) == 0  // fault: look-mask
    }
}

extension NodePointer {
    /// The version of what the scope itself has for a value, set or provided; 0 if it has neither.
    func decision(on key: UnsafeRawPointer) -> UInt64 {
        guard let slot = slot(key)?.pointee else { return 0 }
        if let provider = slot.provider { return provider._withUnsafeGuaranteedRef { $0.version } }
        return slot.cell.map { $0.isSet ? $0.version : 0 } ?? 0
    }
}
