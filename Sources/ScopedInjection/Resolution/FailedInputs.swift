extension Reading {
    /// Records what a failed build of another reader has read, as this one sees it; false if this one may see something
    /// else, or no longer needs the build.
    func record(failed other: Build, _ plan: borrowing Plan) -> Bool {
        let line = node.startReading()
        let found = other.withShared { shared -> (inputs: [Input], mask: UInt64, isPinned: Bool)? in
            guard decision(asIn: plan) != nil else { return nil }  // fault: failed-decision
            var found = (inputs: [Input](), mask: shared.inputs.mask, isPinned: shared.inputs.isPinned)
            for var input in shared.inputs.all {
                // Another test may allow what this reader's policy forbids, or the other way round.
                if input.fact == .policy, input.version == 1 { return nil }  // fault: failed-policy
                guard let seen = Look.nearest(of: input, from: node) else { return nil }
                if input.place == nil {
                    // Its level was counted from the other reader's scope.
                    input.level = seen.level  // fault: failed-level
                    found.mask |= seen.mask
                }
                found.inputs.append(input)
            }
            return found
        }
        node.finishReading(line)
        guard let found else { return false }
        let isPinned = found.isPinned || plan.key.lifetime == .scoped
        record(decisionOf: plan, isPinned: isPinned && isOfAskingScope)  // fault: scoped-waited
        // The failed build still owns the places.
        record(found.inputs, found.mask, isPinned: found.isPinned)
        return true
    }
}
