import ScopedInjection

/// What a thread does next, as the library does it.
extension World {
    /// Whether a thread can make a step.
    func canStep(_ thread: Int) -> Bool {
        guard let read = threads[thread].reads.last else { return false }
        if case .waiting(_, isWoken: false) = read.step { return false }
        return true
    }

    mutating func makeChange() {
        switch change {
        case .set(let input, let scope):
            sets += 1
            scopes[scope].sets[input] = 100 + sets
        case .goes(let scope):
            scopes[scope].isGone = true
        case nil: break
        }
        change = nil
    }

    mutating func step(_ thread: Int) {
        guard var read = threads[thread].reads.popLast() else { return }
        let asking = read.asking
        switch read.step {
        case .look:
            if let (run, level) = kept(read.builder, from: asking) { return give(run, nearest: level, to: thread) }
            if hasGap(asking) { return give(nil, to: thread) }
            var run = Run(builder: read.builder, asking: asking, thread: thread)
            (run.ruledOut, run.isFirst) = (read.ruledOut, hints[read.builder] == nil)
            runs.append(run)
            if let other = ask(runs.count - 1) {
                runs.removeLast()
                runs[other].waiting.append(thread)
                read.step = .met(other, isWoken: false)
            } else {
                (read.run, read.step) = (runs.count - 1, .reads(0, hasToFollow: false))
            }
        case .met(let other, let isWoken):
            if waits(runs[other].thread, forThread: thread) {
                runs[other].waiting.removeAll { $0 == thread }
                read.ruledOut.append(other)
                read.step = .look
            } else {
                read.step = .waiting(other, isWoken: isWoken)
            }
        case .waiting(let other, _): return goOn(read, after: other, thread)
        case .reads(let count, let hasToFollow):
            guard let run = read.run else { return }
            if hasToFollow {
                followReads(of: run)
                read.step = .reads(count, hasToFollow: false)
            } else if count == builders[read.builder].count {
                read.step = .ends
            } else {
                return readNext(count, read, run, thread)
            }
        case .ends: return end(read, thread)
        case .kept(let level):
            guard let run = read.run else { return }
            finish(run, isTeaching: runs[run].isFirst || runs[run].hasTaught || runs[run].announcedLevel != level)
            return give(run, nearest: level, to: thread)
        }
        threads[thread].reads.append(read)
    }

    /// A thread has waited, or did not have to.
    private mutating func goOn(_ read: Read, after other: Int, _ thread: Int) {
        if runs[other].isOver, runs[other].hasFailed, isCurrent(runs[other].inputs, from: read.asking) {
            return give(nil, inputs: runs[other].inputs, to: thread)
        }
        var read = read
        read.step = .look
        threads[thread].reads.append(read)
    }

    private mutating func readNext(_ count: Int, _ read: Read, _ run: Int, _ thread: Int) {
        var read = read
        read.step = .reads(count + 1, hasToFollow: true)
        switch builders[read.builder][count] {
        case .input(let input): if !note(input, run) { return fail(read, run, thread) }
        case .either(let first, let second, let third):
            guard note(first, run) else { return fail(read, run, thread) }
            if !note(runs[run].inputs[first] == 0 ? third : second, run) { return fail(read, run, thread) }
        case .failIfSet(let input):
            if !note(input, run) || runs[run].inputs[input] != 0 { return fail(read, run, thread) }
        case .value(let builder):
            threads[thread].reads.append(read)
            return threads[thread].reads.append(self.read(of: builder, from: read.asking))
        }
        threads[thread].reads.append(read)
    }

    /// Notes an input of a run; false if a parent is gone.
    private mutating func note(_ input: Int, _ run: Int) -> Bool {
        guard let (version, level) = see(input, from: runs[run].asking) else { return false }
        // An input that has changed since it was read first: the end of the run sees that.
        if runs[run].inputs[input] == nil { runs[run].inputs[input] = version }
        runs[run].nearest = min(runs[run].nearest, level)
        return true
    }

    private mutating func end(_ read: Read, _ thread: Int) {
        guard let run = read.run else { return }
        var read = read
        let asking = read.asking
        if hasGap(asking) || !isCurrent(runs[run].inputs, from: asking) {
            finish(run, isTeaching: runs[run].isFirst)
            (read.run, read.step) = (nil, .look)
        } else if kept(read.builder, from: asking) != nil {
            finish(run, isTeaching: runs[run].isFirst)
            (read.run, read.step) = (nil, .look)
        } else {
            let outermost = Int32(chain(of: asking).count - 1)
            let level = roles[read.builder] != nil ? 0 : min(runs[run].nearest, outermost)
            scopes[chain(of: asking)[Int(level)]].keeps[read.builder] = run
            read.step = .kept(level: level)
        }
        threads[thread].reads.append(read)
    }

    private mutating func fail(_ read: Read, _ run: Int, _ thread: Int) {
        let isCurrent = isCurrent(runs[run].inputs, from: read.asking)
        runs[run].hasFailed = isCurrent
        finish(run, isTeaching: !isCurrent && runs[run].isFirst)
        if isCurrent || hasGap(read.asking) { return give(nil, inputs: runs[run].inputs, to: thread) }
        threads[thread].reads.append(Read(builder: read.builder, asking: read.asking))
    }

    private mutating func finish(_ run: Int, isTeaching: Bool = false) {
        end(run, isTeaching: isTeaching)
        runs[run].isOver = true
        wake(run)
    }

    /// Gives a read what it asked for, and records it for the run that asked.
    private mutating func give(_ run: Int?, inputs: [Int: Int] = [:], nearest: Int32 = .max, to thread: Int) {
        guard let user = threads[thread].reads.last?.run else {
            threads[thread].outcome = run.map { .value(of: $0) } ?? .error
            return
        }
        if let run, roles[runs[run].builder] != nil {
            // Only the instance is recorded, and the level of its keeper.
            runs[user].uses.insert(runs[run].builder)
            let level = chain(of: runs[user].asking).firstIndex(of: runs[run].asking)
            return runs[user].nearest = min(runs[user].nearest, Int32(level ?? 0))
        }
        let inputs = run.map { runs[$0].inputs } ?? inputs
        if let run { runs[user].uses.formUnion(runs[run].uses) }
        runs[user].inputs.merge(inputs) { mine, _ in mine }
        let levels = inputs.keys.compactMap { see($0, from: runs[user].asking)?.level }
        runs[user].nearest = min(runs[user].nearest, nearest, levels.min() ?? .max)
        if run == nil, let read = threads[thread].reads.popLast() { fail(read, user, thread) }
    }

    /// The runs that are announced further out than what they have read, although their threads have followed that.
    var isTooFarOut: [Int] {
        threads.flatMap(\.reads).compactMap { read in
            if case .reads(_, hasToFollow: true) = read.step { return nil }
            guard let run = read.run, let level = runs[run].announcedLevel else { return nil }
            return level > runs[run].nearest ? run : nil
        }
    }

    /// Whether a thread waits, over others, for this one.
    private func waits(_ thread: Int, forThread mine: Int) -> Bool {
        var at = thread
        for _ in threads {
            if at == mine { return true }
            guard case .waiting(let other, isWoken: false) = threads[at].reads.last?.step else { return false }
            at = runs[other].thread
        }
        return false
    }
}
