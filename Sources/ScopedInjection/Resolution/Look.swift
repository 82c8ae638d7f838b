import Synchronization

/// Finds what reads would give at one moment, without building anything.
///
/// Made, asked and forgotten while a line is held that every node of the chain counts among its readers. Goes through what
/// values were built from without recursion, each question once.
struct Look: ~Copyable {
    var answers: [Question: Answer] = [:]
    var frames: [Frame] = []
    /// Kept values that are out of date, where they lie in the chain that was asked from.
    var stale: [Stale] = []

    struct Stale {
        let level: Int32
        let key: UnsafeRawPointer
        let version: UInt64
    }

    /// A kept value that may be the answer.
    struct Candidate {
        /// The key it is kept under: of what is inherited, the value's own where it lies further out than what was gone
        /// past.
        let key: UnsafeRawPointer
        let cell: Cell
        let kept: UnsafeMutablePointer<Kept>
        let node: NodePointer
        let level: Int32
        /// What the scopes further in decide on.
        let between: UInt64
    }

    /// A question whose candidates are being looked at.
    struct Frame {
        let question: Question
        /// How many scopes out the question's node is; nil for one of another tree.
        let base: Int32?
        let decision: Decision
        let candidates: [Candidate]
        var next = 0
        var check: Check?
    }

    /// How far the looking at the inputs of one kept value has come.
    struct Check {
        let inputs: UnsafeBufferPointer<Input>
        let viewpoint: NodePointer
        /// How many scopes further out than the viewpoint the value is kept.
        let distance: Int32
        var next = 0
        var mask: UInt64
        var nearest = Input.nowhere
    }

    // MARK: Asking

    /// What a read would give.
    mutating func answer(_ question: Question) -> Answer {
        if let answer = glance(question, base: 0) { return answer }
        run()
        return answers[question] ?? .underway
    }

    /// How far out the nearest of some inputs is, if every one of them is what a read in the scope would give; else nil.
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

    struct Nearest {
        let level: Int32
        let mask: UInt64
    }

    /// The answer where it needs no looking at inputs; else a frame is put on the stack.
    mutating func glance(_ question: Question, base: Int32?) -> Answer? {
        if !answers.isEmpty, let known = answers[question] { return known }
        var candidates: [Candidate] = []
        let decision = Self.decide(question) { candidates.append($0) }
        if let cell = decision.cell, candidates.isEmpty { return .cell(cell, level: decision.level) }
        guard let first = candidates.first else { return .unbuilt(decision) }
        if first.kept.pointee.decision == decision.version, first.isSeenWithoutLooking, decision.cell == nil {
            return .cell(first.cell, level: first.level)
        }
        answers[question] = .underway
        frames.append(Frame(question: question, base: base, decision: decision, candidates: candidates))
        return nil
    }

    /// Which binding decides on a value.
    static func decide(_ question: Question) -> Decision { decide(question) { _ in } }

    /// Which binding decides on a value, and which kept values lie on the way there.
    private static func decide(_ question: Question, _ candidate: (Candidate) -> Void) -> Decision {
        let key = ValueKey.at(question.key)
        let base = key.base.address
        let passed = key.passed.address
        var pastLevel: Int32 = -1
        var node = question.node
        // A scope that says nothing of the value gives what it inherits.
        var past = question.past == Input.own ? node.decision(on: base) : question.past  // fault: past-own
        var level: Int32 = 0
        var between: UInt64 = 0
        func decision(_ version: UInt64, _ provider: Unmanaged<Provider>? = nil, _ cell: Cell? = nil) -> Decision {
            Decision(
                version: version,
                level: level,
                provider: provider,
                cell: cell,
                passed: between,
                pastLevel: pastLevel
            )
        }
        while true {
            let isPast = past == 0
            let place = isPast ? base : question.key
            if let slot = node.slot(place)?.pointee {
                if let cell = slot.cell, let kept = cell.kept, key.mayBeGiven(at: level) {
                    candidate(
                        Candidate(key: place, cell: cell, kept: kept, node: node, level: level, between: between)
                    )
                }
                if isPast, let provider = slot.provider {  // fault: look-provider
                    return decision(provider._withUnsafeGuaranteedRef { $0.version }, provider)
                }
                if isPast, let cell = slot.cell, cell.isSet { return decision(cell.version, nil, cell) }
            }
            if !isPast, node.decision(on: passed) == past {  // fault: past-met
                past = 0
                pastLevel = level
            }
            between |= node.pointee.decides
            guard let up = node.pointee.up else { return decision(past == 0 ? Input.byDefault : Input.lost) }
            guard let next = up._withUnsafeGuaranteedRef({ $0.reached }) else {
                return decision(Input.gone)  // fault: parent-gone
            }
            node = next
            level += 1
        }
    }
}

extension Look.Candidate {
    /// Whether the value was checked already, and no scope further in decides on anything it was built from.
    var isSeenWithoutLooking: Bool {
        kept.pointee.checked.load(ordering: .acquiring) == node.stamp  // fault: look-stamp
            && between & kept.pointee.mask.load(ordering: .relaxed) == 0  // fault: look-mask
    }
}

extension ValueKey {
    /// Whether a value that is kept so far out may be what a read gives.
    fileprivate func mayBeGiven(at level: Int32) -> Bool {
        switch lifetime {
        case .shared: true
        case .scoped: level == 0  // fault: scoped-level
        case .transient: false
        }
    }
}

extension NodePointer {
    /// The version of what the scope itself says of a value; 0 where it says nothing.
    func decision(on key: UnsafeRawPointer) -> UInt64 {
        guard let slot = slot(key)?.pointee else { return 0 }
        if let provider = slot.provider { return provider._withUnsafeGuaranteedRef { $0.version } }
        return slot.cell.map { $0.isSet ? $0.version : 0 } ?? 0
    }
}
