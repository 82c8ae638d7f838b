import Synchronization

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

/// Finds what reads would give at one moment, without building anything.
///
/// Made, asked and forgotten while a line is held that every node of the chain counts among its readers. Goes through what
/// values were built from without recursion, each question once.
struct Look: ~Copyable {
    private var answers: [Question: Answer] = [:]
    private var frames: [Frame] = []
    /// Kept values that are out of date, where they lie in the chain that was asked from.
    private(set) var stale: [Stale] = []

    struct Stale {
        let level: Int32
        let key: UnsafeRawPointer
        let version: UInt64
    }

    /// A kept value that may be the answer.
    fileprivate struct Candidate {
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
    private struct Frame {
        let question: Question
        /// How many scopes out the question's node is; nil for one of another tree.
        let base: Int32?
        let decision: Decision
        let candidates: [Candidate]
        var next = 0
        var check: Check?
    }

    /// How far the looking at the inputs of one kept value has come.
    private struct Check {
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
    private mutating func glance(_ question: Question, base: Int32?) -> Answer? {
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
        var pastLevel: Int32 = -1
        var node = question.node
        // A scope that says nothing of the value gives what it inherits.
        var past = question.past == Input.own ? node.decision(on: base) : question.past
        var level: Int32 = 0
        var between: UInt64 = 0
        func decision(_ version: UInt64, _ provider: Unmanaged<Provider>? = nil, _ cell: Cell? = nil) -> Decision {
            Decision(
                version: version, level: level, provider: provider, cell: cell, passed: between, pastLevel: pastLevel)
        }
        while true {
            let isPast = past == 0
            let place = isPast ? base : question.key
            if let slot = node.slot(place)?.pointee {
                if let cell = slot.cell, let kept = cell.kept, key.mayBeGiven(at: level) {
                    candidate(
                        Candidate(key: place, cell: cell, kept: kept, node: node, level: level, between: between))
                }
                if isPast, let provider = slot.provider {
                    return decision(provider._withUnsafeGuaranteedRef { $0.version }, provider)
                }
                if isPast, let cell = slot.cell, cell.isSet { return decision(cell.version, nil, cell) }
            }
            if !isPast, node.decision(on: base) == past {
                past = 0
                pastLevel = level
            }
            between |= node.pointee.decides
            guard let up = node.pointee.up else { return decision(Input.byDefault) }
            guard let next = up._withUnsafeGuaranteedRef({ $0.reached }) else { return decision(Input.gone) }
            node = next
            level += 1
        }
    }
}

extension Look.Candidate {
    /// Whether the value was checked already, and no scope further in decides on anything it was built from.
    fileprivate var isSeenWithoutLooking: Bool {
        kept.pointee.checked.load(ordering: .acquiring) == node.stamp
            && between & kept.pointee.mask.load(ordering: .relaxed) == 0
    }
}

extension ValueKey {
    /// Whether a value that is kept so far out may be what a read gives.
    fileprivate func mayBeGiven(at level: Int32) -> Bool {
        switch lifetime {
        case .shared: true
        case .scoped: level == 0
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

// MARK: - Looking at inputs

extension Look {
    private enum Step { case holds, differs, waits }

    private mutating func run() {
        while let frame = frames.popLast() { work(frame) }
    }

    /// Goes on with a question until it is answered, or another one has to be answered first.
    private mutating func work(_ frame: Frame) {
        var frame = frame
        while frame.next < frame.candidates.count {
            let candidate = frame.candidates[frame.next]
            guard var check = frame.check ?? begin(candidate, frame) else {
                if answers[frame.question].map({ if case .underway = $0 { false } else { true } }) == true { return }
                frame.next += 1
                continue
            }
            let base = check.distance == 0 ? frame.base.map { $0 + candidate.level } : frame.base
            switch advance(&check, base: base) {
            case .waits:
                frame.check = check
                // Below the one that has to be answered first.
                frames.insert(frame, at: frames.count - 1)
                return
            case .differs:
                if check.distance == 0 { noteStale(candidate, frame) }
                frame.next += 1
            case .holds where check.distance > 0:
                answers[frame.question] = .cell(candidate.cell, level: candidate.level)
                return
            case .holds:
                let belongs =
                    check.nearest == 0 || frame.decision.level == candidate.level || candidate.kept.pointee.isPinned
                if belongs {
                    candidate.kept.pointee.mask.store(check.mask, ordering: .relaxed)
                    // After the mask, which readers on other lines take for the one of this check.
                    candidate.kept.pointee.checked.store(candidate.node.stamp, ordering: .releasing)
                } else {
                    noteStale(candidate, frame)
                    frame.next += 1
                }
            }
            frame.check = nil
        }
        let decision = frame.decision
        answers[frame.question] = decision.cell.map { .cell($0, level: decision.level) } ?? .unbuilt(decision)
    }

    /// How a candidate is to be looked at; nil where that is over: it is the answer, or cannot be.
    private mutating func begin(_ candidate: Candidate, _ frame: Frame) -> Check? {
        let kept = candidate.kept
        if kept.pointee.decision != frame.decision.version || frame.decision.cell != nil {
            noteStale(candidate, frame)
            return nil
        }
        let pinned = kept.pointee.isPinned
        if pinned, candidate.level > 0 { return nil }
        let mask = pinned ? Mask.pinned : 0
        guard kept.pointee.checked.load(ordering: .relaxed) == candidate.node.stamp else {
            return Check(inputs: kept.inputs, viewpoint: candidate.node, distance: 0, mask: mask)
        }
        if candidate.isSeenWithoutLooking {
            answers[frame.question] = .cell(candidate.cell, level: candidate.level)
            return nil
        }
        return Check(inputs: kept.inputs, viewpoint: frame.question.node, distance: candidate.level, mask: mask)
    }

    private mutating func noteStale(_ candidate: Candidate, _ frame: Frame) {
        guard let base = frame.base else { return }
        stale.append(Stale(level: base + candidate.level, key: candidate.key, version: candidate.cell.version))
    }

    /// Looks at one input after the other.
    private mutating func advance(_ check: inout Check, base: Int32?) -> Step {
        while check.next < check.inputs.count {
            let input = check.inputs[check.next]
            let viewpoint: NodePointer
            var (distance, base) = (check.distance, base)
            if let place = input.place {
                // A scope that is gone says nothing new any more.
                guard let node = place._withUnsafeGuaranteedRef({ $0.reached }) else {
                    check.next += 1
                    continue
                }
                viewpoint = node
                (distance, base) = (0, nil)
            } else {
                viewpoint = check.viewpoint
            }
            var seen = Seen()
            switch compare(input, from: viewpoint, distance, base: base, &seen) {
            case .waits: return .waits
            case .differs: return .differs
            case .holds:
                if input.place == nil {
                    check.mask |= seen.mask
                    check.nearest = min(check.nearest, seen.level)
                }
                check.next += 1
            }
        }
        return .holds
    }

    /// What an input adds to what the value was built from.
    private struct Seen {
        var mask: UInt64 = 0
        var level = Input.nowhere
    }

    private mutating func compare(
        _ input: Input,
        from node: NodePointer,
        _ distance: Int32,
        base: Int32?,
        _ seen: inout Seen
    ) -> Step {
        switch input.fact {
        case .value:
            let question = Question(node: node, key: input.key, past: input.past)
            guard let answer = glance(question, base: base) else { return .waits }
            guard case .cell(let cell, let level) = answer, cell.version == input.version else { return .differs }
            seen.mask = ValueKey.at(input.key).base.bit.load(ordering: .relaxed)
            if let kept = cell.kept { seen.mask |= kept.pointee.mask.load(ordering: .relaxed) }
            seen.level = level
        case .decision:
            let decision = Self.decide(Question(node: node, key: input.key, past: input.past))
            guard decision.version == input.version else { return .differs }
            seen.mask = ValueKey.at(input.key).base.bit.load(ordering: .relaxed)
            if decision.provider != nil { seen.level = decision.level }
        case .policy:
            let outcome = Policy.outcome(in: node)
            guard outcome.isForbidden == (input.version == 1), outcome.level >= distance else { return .differs }
            seen.mask = Mask.policy
            seen.level = outcome.level
        case .closed:
            guard let level = Self.level(ofClosed: input.version, from: node) else { return .differs }
            seen.level = level
        case .parent:
            guard node.parentNumber == input.version else { return .differs }
            seen.mask = Mask.pinned
            seen.level = 0
        case .changing:
            return .differs
        }
        return .holds
    }

    /// How far out a closed scope is, which is told by its node's address.
    private static func level(ofClosed address: UInt64, from node: NodePointer) -> Int32? {
        var level: Int32 = 0
        var at: NodePointer? = node
        while let node = at {
            if UInt64(UInt(bitPattern: node)) == address { return node.pointee.flags.contains(.closed) ? level : nil }
            at = node.next
            level += 1
        }
        return nil
    }
}

extension NodePointer {
    /// The number of the link to the parent; 0 where there is none.
    var parentNumber: UInt64 { pointee.up?._withUnsafeGuaranteedRef { $0.number } ?? 0 }
}
