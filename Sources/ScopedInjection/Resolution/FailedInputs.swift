/// What a failed build of another reader has read, as this one sees it.
struct FailedInputs {
    fileprivate var inputs: [Input] = []
    fileprivate var mask: UInt64 = 0
}

extension Reading {
    /// What a failed build of another reader has read; nil if this reader may see something else.
    func inputs(ofFailed other: Build) -> FailedInputs? {
        let line = node.startReading()
        defer { node.finishReading(line) }
        return other.withShared { shared in
            var found = FailedInputs(mask: shared.inputs.mask)
            let all = shared.inputs.all
            for index in all.indices {
                var input = all[index]
                // Another test may allow what this reader's policy forbids, or the other way round.
                if input.fact == .policy, input.version == 1 { return nil }  // fault: failed-policy
                guard let seen = Look.nearest(ofOne: index, in: all, from: node) else { return nil }
                if input.place == nil {
                    // Its level was counted from the other reader's scope.
                    input.level = seen.level  // fault: failed-level
                    found.mask |= seen.mask
                }
                found.inputs.append(input)
            }
            return found
        }
    }

    /// Records them in the builds that have to record the read; the failed build still owns the places.
    func record(_ failed: FailedInputs, ofFailed plan: borrowing Plan, _ error: ScopeError) {
        guard isRecorded else { return }
        record(decisionOf: plan, isPinned: isForAskerAlone(error, plan))  // fault: scoped-waited
        record(failed.inputs, failed.mask, isPinned: false)
    }
}
