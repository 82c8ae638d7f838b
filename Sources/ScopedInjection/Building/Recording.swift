import Synchronization

/// What a build records of what its builder reads and registers; on the building thread.
extension Build {
    /// Records what was found in a cell; the caller holds the line under which that was found.
    @inline(__always)
    func record(_ cell: Cell, _ key: ValueKey, _ decision: UInt64, past: UInt64 = 0, level: Int32) {
        cell.markInput()
        guard let kept = cell.kept else {
            record(key, decision, past: past, level: level)
            if let role = key.role { nearest = min(nearest, Look.levelOf(role, from: asking) ?? .max) }
            return
        }
        if key.role != nil { return record(once: key, kept, cell.version, level: level) }
        inputs.add(Input(key: key.address, version: decision, past: past), of: kept, cell.version)
        run.mask |= key.bit | kept.pointee.mask.load(ordering: .relaxed)
        nearest = min(nearest, level)
        kept.withResources { use($0) }
    }

    /// Records a value that stays: what it was built from may change.
    @inline(never)
    private func record(once key: ValueKey, _ kept: UnsafeMutablePointer<Kept>, _ version: UInt64, level: Int32) {
        _ = inputs.addInstance(of: key, version)
        inputs.noteHash(of: key)
        run.mask |= key.bit | key.roleBit
        if Input.isDefault(kept.pointee.decision), key.hasLiveDefault { record(policy: PolicyInForce(in: asking)) }
        nearest = min(nearest, level)
        kept.withResources { use($0) }
    }

    /// Records a constant that is the value's own default.
    @inline(__always)
    func record(constant key: ValueKey) {
        record(key, Input.byDefault, level: .max)
        if !key.isSafeInTests { record(policy: PolicyInForce()) }
    }

    func record(policy: PolicyInForce) {
        // Another one that is there is the same one, or has changed, which the check of the inputs sees.
        if run.mask & Mask.policy == 0 { record(DefaultsPolicy.key.key, policy.version, level: policy.nearest) }
        nearest = min(nearest, policy.nearest)
    }

    /// Records a decision, and the level of what was found or of the scope that decided.
    @inline(__always)
    func record(_ key: ValueKey, _ version: UInt64, past: UInt64 = 0, level: Int32) {
        inputs.add(Input(key: key.address, version: version, past: past))
        run.mask |= key.bit
        nearest = min(nearest, level)
        // A scope of the role may begin a value of its own.
        if let role = key.role { run.mask |= role.bit }
    }

    /// Records all that another build of this thread was built from.
    func record(all other: Build) { record(all: other, nearest: other.nearest, mask: other.run.mask) }

    /// The same of another thread's build, whose inputs this one's asking scope finds as given.
    func record(all other: Build, nearest level: Int32, mask others: UInt64) {
        inputs.add(other.inputs.all, hashes: other.inputs.hashes)
        run.mask |= others
        nearest = min(nearest, level)
    }

    /// Records that a value has failed which stays, for what survives that: by what the failed run has read, as the scope sees it
    /// that would have kept the value; not where that is not to be told from here.
    func record(failureOf value: ValueKey, _ decision: UInt64, _ other: Build? = nil, policy: PolicyInForce? = nil) {
        if let other, other.run.mask & Mask.pinned != 0 || other.run.hasReadUnkept { return }
        let past = Input.ofFailure(value.address)
        var all = other.map { Array($0.inputs.all) } ?? []
        if let policy { all.append(Input(key: DefaultsPolicy.key.address, version: policy.version)) }
        all = all.map { $0.past == 0 ? Input(key: $0.key, version: $0.version, past: past) : $0 }
        let last = Input(key: value.address, version: decision, past: past)
        all.append(last)
        let known = asking.inspect { () -> (nearest: Int32, mask: UInt64)? in
            let known = all.withUnsafeBufferPointer { Look.check($0, from: asking) }
            // Nothing that has failed on the way is begun nearer.
            return known?.nearest == Look.level(of: last, ofFailure: value.address, from: asking) ? known : nil
        }
        guard let known else { return }
        for input in all { inputs.add(input) }
        run.mask |= known.mask
        nearest = min(nearest, known.nearest)
        if let resource = other?.resource { for used in resource.uses { use(used) } }
        run.isFailureRecorded = true
    }

    func add(_ cleanup: consuming Cleanup) {
        run.hasCleanups = true
        if resource == nil { resource = Resource(cleanup, of: key) } else { madeResource().add(cleanup) }
    }

    /// Adds the cleanups of a part of the value.
    func takeCleanups(of other: Resource) {
        run.hasCleanups = true
        madeResource().takeCleanups(of: other)
    }

    /// Holds a value with cleanups that it has read; the caller holds the line, or holds it itself.
    @inline(never)
    func use(_ other: Resource) { madeResource().use(other) }

    private func madeResource() -> Resource {
        let resource = resource ?? Resource()
        if resource.uses.isEmpty { resource.value = key }
        self.resource = resource
        return resource
    }

    /// Keeps the value for the asking scope alone, because the reason of an error is there and no decision.
    func pin() { (run.mask, nearest) = (run.mask | Mask.pinned, 0) }
}
