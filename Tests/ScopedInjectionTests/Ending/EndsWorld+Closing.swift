import ScopedInjection

/// Letting go, and closing.
extension EndsWorld {
    enum Reason { case change, discard, closing }

    /// What was built from some resources and has not ended.
    func users(of all: [Int]) -> [Int] {
        let bits = all.reduce(UInt32(0)) { $0 | 1 << $1 }
        return things.indices.filter { things[$0].stage != .ended && things[$0].uses & bits != 0 }
    }

    mutating func take(_ thing: Int) {
        scopes[things[thing].scope].kept.removeAll { $0 == thing }
        scopes[things[thing].scope].turns.removeAll { $0 == thing }
    }

    /// Lets go of what was taken out, and of what goes along; returns what may begin.
    mutating func letGo(_ taken: [Int], in scope: Int, _ reason: Reason, isTurn: Bool = false) -> [Int] {
        var all = taken
        for user in users(of: all) where things[user].stage == .kept && !all.contains(user) {
            let keeper = things[user].scope
            if reason == .change || (reason == .closing && keeper != scope && isInUse(keeper)) { continue }
            take(user)
            all.append(user)
        }
        for user in users(of: all) { things[user].isAwaited = true }
        for thing in all {
            things[thing].stage = .left
            scopes[things[thing].scope].hasLeft = true
        }
        return all.filter { thing in
            let turn = isTurn && thing == all[0] ? Self.id(ofClosing: scope) : nil
            let users = users(of: [thing]).map { Self.id(of: $0) }
            return ends.letGo(Self.id(of: thing), of: Self.node(things[thing].scope), after: users, turnOf: turn)
        }
    }

    private mutating func isInUse(_ scope: Int) -> Bool {
        if scopes[scope].phase != .open || scopes[scope].isWaiting || !scopes[scope].isEntered { return false }
        scopes[scope].isLeavingAwaited = true
        return true
    }

    /// Takes out what scopes keep though others wait for it.
    private mutating func takeAwaited(where isToGo: (inout EndsWorld, Int) -> Bool) -> [Int] {
        things.indices.filter { thing in
            guard things[thing].stage == .kept, things[thing].isAwaited, isToGo(&self, things[thing].scope) else {
                return false
            }
            take(thing)
            return true
        }
    }

    mutating func leave(_ scope: Int) {
        scopes[scope].isEntered = false
        guard scopes[scope].isLeavingAwaited else { return }
        scopes[scope].isLeavingAwaited = false
        begin(letGo(takeAwaited { $1 == scope }, in: scope, .closing))
    }

    private func left(of scope: Int) -> [Ends.ID] {
        scopes[scope].hasLeft ? ends.left(of: Self.node(scope)).sorted() : []
    }

    func unfinished(of scope: Int) -> [Int] {
        things.indices.filter { things[$0].scope == scope && [.left, .begun].contains(things[$0].stage) }
    }

    // MARK: Changes

    /// Lets go of a value, and of what was built from it in the same scope; a discard also of that further in.
    mutating func letGo(of value: Value, _ reason: Reason, by code: Int) {
        let scope = keepers[value] ?? 0
        var wait = Wait(discarding: scope, value: value)
        for code in codes {
            guard let build = code.building, things[build].value == value else { continue }
            if keeper(of: value, from: things[build].scope) != scope { continue }
            things[build].isThrownAway = true
            wait.things.append(build)
            wait.ids.append(Self.id(ofBuild: build))
            if reason == .discard, !things[build].hasNumber {
                things[build].hasNumber = true
                ends.open(Self.id(ofBuild: build))
            }
        }
        var taken = kept(value, in: scope)
        taken += users(of: taken).filter { things[$0].stage == .kept && things[$0].scope == scope }
        for thing in taken { take(thing) }
        let before = things
        begin(letGo(taken, in: scope, reason))
        if reason == .change { return }
        let all = things.indices.filter { before[$0].stage == .kept && things[$0].stage != .kept }
        wait.things += all
        wait.ids += all.map { Self.id(of: $0) }
        codes[code].discarded = wait
    }

    mutating func waitForDiscarded(_ wait: Wait, _ code: Int) {
        var wait = wait
        codes[code].discarded = nil
        if let scope = wait.discarding {
            let value = wait.value
            wait.ids += left(of: scope).filter { things[Int($0) - 1].value == value && !wait.ids.contains($0) }
        }
        self.wait(wait, code)
    }

    // MARK: Closing

    mutating func close(_ scope: Int, hasLimit: Bool, by code: Int) {
        var wait = Wait(closing: scope, hasLimit: hasLimit, marked: markWaiting(scope, by: code))
        switch scopes[scope].phase {
        case .open:
            if !hasLimit { codes[code].wait = wait }
            scopes[scope].phase = .closing
            scopes[scope].takeKept()
            if hasLimit || caller(code) != nil { number(scope, for: hasLimit ? nil : caller(code)) }
            takeStep(of: scope)
            if !hasLimit { return }
            wait.ids = [Self.id(ofClosing: scope)]
        case .closing, .closingLate:
            number(scope)
            wait.ids = [Self.id(ofClosing: scope)]
        case .closed: wait.ids = left(of: scope)
        }
        self.wait(wait, code)
    }

    private mutating func number(_ scope: Int, for caller: Ends.ID? = nil) {
        if scopes[scope].hasNumber { return }
        scopes[scope].hasNumber = true
        ends.open(Self.id(ofClosing: scope))
        if let caller { ends.tie(Ends.ID(scope + 301), to: Self.id(ofClosing: scope), by: caller) }
    }

    /// Notes that what runs further in waits for a closing.
    private mutating func markWaiting(_ scope: Int, by code: Int) -> [Int] {
        guard let inner = codes[code].scope, inner > scope else { return [] }
        let between = Array(scope + 1...inner)
        for waiting in between { scopes[waiting].isWaiting = true }
        begin(letGo(takeAwaited { between.contains($1) }, in: scope, .closing))
        return between
    }

    mutating func takeStep(of scope: Int, isCircular: Bool = false) {
        scopes[scope].isCircular = scopes[scope].isCircular || isCircular
        if let turn = takeTurn(of: scope) {
            if let last = scopes[scope].lastTurn {
                demand(scopes[scope].isCircular || things[last].stage == .ended, "two turns at once")
            }
            scopes[scope].lastTurn = turn
            number(scope)
            let ready = letGo([turn], in: scope, .closing, isTurn: true)
            if ready.contains(turn) {
                things[turn].isTurn = true
                scopes[scope].step = .runs(turn)
            } else {
                wait(for: [Self.id(of: turn)], scope)
            }
            return begin(ready)
        }
        let awaited = scopes[scope].hasLeft ? takeAwaited { $1 > scope && !$0.isInUse($1) } : []
        let ready = letGo(awaited, in: scope, .closing)
        let left = isCircular ? [] : left(of: scope)
        if left.isEmpty {
            scopes[scope].phase = .closed
            scopes[scope].step = nil
            let isOver = scopes[scope].isCircular || unfinished(of: scope).isEmpty
            demand(isOver, "a closing ends before what it has let go of")
        } else {
            number(scope)
            wait(for: left, scope)
        }
        begin(ready)
        guard left.isEmpty else { return }
        if scopes[scope].hasNumber { perform(ends.end(Self.id(ofClosing: scope))) }
        for (index, code) in codes.enumerated() {
            if let wait = code.wait, wait.closing == scope, wait.call == nil { goOn(index) }
        }
    }

    private mutating func takeTurn(of scope: Int) -> Int? {
        if scopes[scope].turns.isEmpty, !scopes[scope].kept.isEmpty {
            scopes[scope].phase = .closingLate
            scopes[scope].takeKept()
        }
        guard let turn = scopes[scope].turns.popLast() else { return nil }
        return turn
    }

    private mutating func wait(for ids: [Ends.ID], _ scope: Int) {
        scopes[scope].calls += 1
        demand(scopes[scope].calls < 20, "a closing goes round for ever")
        let (own, call) = (Self.id(ofClosing: scope), Ends.ID(1000 * (scope + 1)) + scopes[scope].calls)
        let (waits, isCircular) = self.call(call, for: ids, by: own, workingFor: own)
        scopes[scope].step = waits.isEmpty ? .next(isCircular: isCircular) : .waits(waits, isCircular: isCircular)
    }

    /// Gives up the order of the turns.
    mutating func hurry(_ scope: Int) {
        var all: [Int] = []
        while let turn = takeTurn(of: scope) { all.append(turn) }
        if scopes[scope].phase != .closed { scopes[scope].phase = .closingLate }
        begin(letGo(all, in: scope, .closing))
        demand(scopes[scope].turns.isEmpty && scopes[scope].kept.isEmpty, "a limit has not let go of all")
        let names = Set((unfinished(of: scope) + users(of: unfinished(of: scope))).map { Self.id(of: $0) })
        demand(ends.unfinished(of: Self.node(scope)) == names, "a limit does not name what has not ended")
    }
}
