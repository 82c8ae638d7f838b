/// Resolves a key: finds its value, or builds it and keeps it where it belongs.
enum Resolution {
    /// How often a builder runs for one read while its inputs keep changing.
    private static let patience = 10_000

    /// The value as a scope sees it.
    ///
    /// - Parameter past: The version of the decision to skip; see `Question`.
    @inline(never)
    static func value<Value>(
        of asked: TypedKey<Value>,
        past: UInt64 = 0,
        _ reading: borrowing Reading
    ) throws(ScopeError) -> Value {
        let node = reading.node
        var ruledOut: [Build] = []
        var runs = 0
        while true {
            var trail = Trail(asked.key, past: past)
            let line = node.startReading()
            var look = Look()
            let decision: Decision
            switch look.follow(&trail, from: node) {
            case .cell(let cell, let level):
                let value = cell.value(as: Value.self)
                let found = reading.isRecorded ? Found(cell, level: level) : nil
                let hidden = reading.isRecorded ? HiddenInputs(of: cell, by: trail, at: level, from: node) : nil
                node.finishReading(line)
                var stale = look.dropStale(from: node)
                reading.letGo(of: &stale, for: asked.key)
                if let found { reading.record(found, by: trail) }
                if let hidden { reading.record(hidden) }  // fault: hidden-inputs
                return value
            case .unbuilt(let unbuilt):
                decision = unbuilt
            case .underway:
                decision = Decision(version: Input.gone, level: 0)
            }
            if trail.isCircle || decision.isGone {
                node.finishReading(line)
                throw failure(decision, trail, reading)
            }
            if decision.version == Input.lost {
                // The decision to skip has changed, so the inheriting build runs again, whatever this read returns.
                node.finishReading(line)
                reading.recordLost()
                return try value(of: trail.key.base.typed(as: Value.self), reading)
            }
            let plan = Plan(trail, decision, in: node)
            let rejections = look.notes?.rejections
            node.finishReading(line)
            var stale = look.dropStale(from: node)
            reading.letGo(of: &stale, for: asked.key)

            guard let run = try Run.begin(plan, reading, &ruledOut) else { continue }
            if let rejections { run.know(rejections) }
            runs += 1
            let value: Value
            do {
                value = try run.call { view throws in
                    if let provider = plan.provider {
                        return try unsafeDowncast(provider, to: Builder<Value>.self).make(view)
                    }
                    return try plan.key.typed(as: Value.self).make(in: view, isInTests: reading.usesTestValue(plan))
                }
            } catch {
                let failure = run.fail(error, plan, reading, isLast: runs >= patience)
                reading.letGo(ofUnused: consume error as any Error, for: asked.key)  // fault: error-let-go
                if let failure { throw failure }
                continue
            }
            switch run.finish(value, plan, reading, isLast: runs >= patience) {
            case .given(let keeper):
                if let keeper { reading.noteKept(value, by: keeper, for: asked.key) }
                return value
            case .again:
                reading.letGo(ofUnused: consume value, for: asked.key)  // fault: value-let-go
            case .failed(let failure):
                reading.letGo(ofUnused: consume value, for: asked.key)  // fault: refused-let-go
                throw failure
            }
        }
    }
}
