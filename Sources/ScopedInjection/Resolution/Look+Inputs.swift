import Synchronization

// MARK: - Looking at inputs

extension Look {
    enum Step { case holds, differs, waits }

    mutating func run() {
        while let notes, let frame = notes.frames.popLast() { work(frame, notes) }
    }

    /// Works on a question until it is answered, or another question has to be answered first.
    private mutating func work(_ frame: Frame, _ notes: Notes) {
        var frame = frame
        while frame.next < frame.candidates.count {
            let candidate = frame.candidates[frame.next]
            guard var check = frame.check ?? begin(candidate, frame, notes) else {
                reject(candidate, &frame, notes)
                continue
            }
            let base = check.isFromKeeper ? frame.base.map { $0 + candidate.level } : frame.base
            switch advance(&check, base: base) {
            case .waits:
                frame.check = check
                // Below the question that has to be answered first.
                notes.frames.insert(frame, at: notes.frames.count - 1)
                return
            case .differs:
                if check.isFromKeeper { noteStale(candidate, frame, notes) }
                reject(candidate, &frame, notes)
            case .holds where !check.isFromKeeper:
                notes.answers[frame.question] = .cell(candidate.cell, level: candidate.level)
                return
            case .holds:
                let belongs =
                    check.nearest == 0  // fault: belongs
                    || frame.decision.level == candidate.level || candidate.kept.pointee.isPinned
                guard belongs else {
                    noteStale(candidate, frame, notes)
                    reject(candidate, &frame, notes)
                    break
                }
                // What overlooks something is right for this look, but for no read, so nothing is stored.
                if !hasOverlooked {
                    candidate.kept.pointee.mask.store(check.mask, ordering: .relaxed)  // fault: renewed-mask
                    // After the mask, so that a reader on another line that sees the stamp also sees the mask.
                    candidate.kept.pointee.checked.store(candidate.node.stamp, ordering: .releasing)
                }
                guard candidate.level > 0 else {
                    notes.answers[frame.question] = .cell(candidate.cell, level: 0)
                    return
                }
                if hasOverlooked {
                    frame.check = self.check(candidate, from: frame.question.node, distance: candidate.level)
                    continue
                }
            }
            frame.check = nil
        }
        notes.answers[frame.question] = frame.decision.answer
    }

    /// The check that a candidate needs; nil if it is the answer already, or cannot be.
    private func begin(_ candidate: Candidate, _ frame: Frame, _ notes: Notes) -> Check? {
        let kept = candidate.kept
        if kept.pointee.decision != frame.decision.version || frame.decision.cell != nil {  // fault: look-decision
            noteStale(candidate, frame, notes)
            return nil
        }
        let pinned = kept.pointee.isPinned
        if pinned, candidate.level > 0 || frame.question.isOfChild { return nil }  // fault: pinned-level
        guard kept.pointee.checked.load(ordering: .relaxed) == candidate.node.stamp else {
            return check(candidate, from: candidate.node, distance: 0)
        }
        var check = self.check(candidate, from: frame.question.node, distance: candidate.level)
        // Nothing is left to look at.
        if candidate.isSeenWithoutLooking { (check.next, check.distance) = (check.inputs.count, .max) }
        return check
    }

    /// The check whether a scope sees the inputs of a kept value.
    private func check(_ candidate: Candidate, from node: NodePointer, distance: Int32) -> Check {
        let mask = candidate.kept.pointee.isPinned ? Mask.pinned : 0
        return Check(inputs: candidate.kept.inputs, viewpoint: node, distance: distance, mask: mask)
    }

    /// Goes on to the next candidate.
    private func reject(_ candidate: Candidate, _ frame: inout Frame, _ notes: Notes) {
        frame.next += 1
        if frame.base == 0 { Rejections.note(candidate.cell, for: frame.question, in: &notes.rejections) }
    }

    private func noteStale(_ candidate: Candidate, _ frame: Frame, _ notes: Notes) {
        guard let base = frame.base else { return }
        notes.stale.append(Stale(level: base + candidate.level, key: candidate.key, version: candidate.cell.version))
    }

    /// Checks one input after the other.
    mutating func advance(_ check: inout Check, base: Int32?) -> Step {
        while check.next < check.inputs.count {
            var input = check.inputs[check.next]
            let viewpoint: NodePointer
            var (distance, base) = (check.distance, base)
            if let place = input.place {
                switch place._withUnsafeGuaranteedRef({ $0.rest }) {
                case .reached(let node, let gone) where input.level >= gone:
                    if gone > 0 { input.forgetSkipped(goneFrom: node) }  // fault: gone-skipped
                    viewpoint = node
                case .lost where !overlooksChanging:
                    return .differs  // fault: lost-input
                case let rest:
                    // What a scope had that a builder made, and that is gone, does not change any more.
                    if case .lost = rest { hasOverlooked = true }
                    check.next += 1
                    continue
                }
                (distance, base) = (0, nil)
            } else {
                viewpoint = check.viewpoint
            }
            var seen = Nearest()
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

    private mutating func compare(
        _ input: Input,
        from node: NodePointer,
        _ distance: Int32,
        base: Int32?,
        _ seen: inout Nearest
    ) -> Step {
        switch input.fact {
        case .value:
            var question = Question(node: node, key: input.key, past: input.past)
            guard var answer = glance(question, base: base) else { return .waits }
            if answer.isPinned(otherThan: input.version) {  // fault: pinned-of-child
                // The builder may have read the other one through a scope that it made.
                question.isOfChild = true
                guard let ofChild = glance(question, base: base) else { return .waits }
                answer = ofChild
            }
            guard case .cell(let cell, let level) = answer,
                cell.version == input.version  // fault: value-input
            else { return .differs }
            seen.mask = ValueKey.at(input.key).base.bit
            if let kept = cell.kept { seen.mask |= kept.pointee.mask.load(ordering: .relaxed) }
            seen.level = level
        case .decision:
            let decision = Self.decide(Question(node: node, key: input.key, past: input.past))
            guard decision.version == input.version else { return .differs }  // fault: decision-input
            seen.mask = ValueKey.at(input.key).base.bit
            if decision.provider != nil { seen.level = decision.level }
        case .unaliased:
            guard let level = node.unaliasedLevel(of: input.key),  // fault: unaliased-input
                level >= distance  // fault: unaliased-reach
            else { return .differs }
            seen.mask = ValueKey.at(input.key).base.bit
            seen.level = level
        case .policy:
            let outcome = Policy.outcome(in: node)
            guard outcome.isForbidden == (input.version == 1),  // fault: policy-input
                outcome.level >= distance  // fault: policy-reach
            else { return .differs }
            seen.mask = Mask.policy
            seen.level = outcome.level
        case .unmoved:
            guard node.pointee.lines.moves == input.version else { return .differs }  // fault: unmoved-input
        case .parent:
            guard node.parentNumber == input.version else { return .differs }
            seen.mask = Mask.pinned
            seen.level = 0
        case .held:
            guard let answer = glance(Question(node: node, key: input.key), base: base) else { return .waits }
            var version: UInt64 = 0
            switch answer {
            case .cell(let cell, 0): version = cell.version
            // Each alias on the way is an input of its own.
            case .unbuilt(let decision) where decision.target != nil: return .differs  // fault: held-alias
            default: break
            }
            guard version == input.version else { return .differs }  // fault: held-input
        case .isClosed:
            let isClosed = node.pointee.flags.contains(.closed)
            guard isClosed == (input.version == 1) else { return .differs }  // fault: closed-asked
        case .global:
            guard GlobalScope.number == input.version else { return .differs }  // fault: global-input
        case .changing:
            guard overlooksChanging else { return .differs }
            hasOverlooked = true
        case .overtaken:
            return .differs
        }
        return .holds
    }
}

extension Input {
    /// Makes it an ordinary read, if the decision to skip was in a scope that is gone, further in than the node.
    mutating func forgetSkipped(goneFrom node: NodePointer) {
        let key = ValueKey.at(key)
        guard past != 0, !node.chain.contains(where: { $0.decision(on: key.passed.address) == past }) else { return }
        (past, self.key) = (0, key.base.address)
    }
}

extension NodePointer {
    /// A number for the parent, which no other scope has; 0 if there is none.
    var parentNumber: UInt64 {
        pointee.up?._withUnsafeGuaranteedRef { $0.reached == nil ? Input.gone : $0.number } ?? 0
    }

    /// That number and the parent, at one moment; the caller holds no line.
    var numberedParent: (number: UInt64, scope: EnvironmentScope?) {
        whileReading {
            let scope = pointee.up?._withUnsafeGuaranteedRef { link in
                link.kind == .global ? link.node?.withScope { $0 } : link.reachedScope
            }
            return (parentNumber, scope)
        }
    }

    /// The level of the outermost scope up to which the key is no alias; nil if it is one here.
    ///
    /// It is `Input.nowhere` if the key is no alias anywhere. The caller holds a line.
    func unaliasedLevel(of key: UnsafeRawPointer) -> Int32? {
        var outermost: Int32?
        for (level, node) in chain.enumerated() {
            guard let slot = node.slot(key)?.pointee else { continue }
            let isAlias = slot.provider?._withUnsafeGuaranteedRef { $0.target } != nil
            if isAlias { return outermost }  // fault: unaliased-level
            if slot.decides { outermost = Int32(level) }
        }
        return Input.nowhere
    }
}
