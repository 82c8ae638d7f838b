import ScopedInjection

/// What happens next, and what is demanded then.
extension EndsWorld {
    enum Event: Hashable {
        case code(Int)
        case keeps(Int), gives(Int), throwsAway(Int), fails(Int)
        case limit(Int)
        case closing(Int)
    }

    var events: [Event] {
        var events: [Event] = []
        for (index, code) in codes.enumerated() {
            if let wait = code.wait {
                if wait.hasLimit, wait.call != nil { events.append(.limit(index)) }
            } else if let build = code.building {
                events += [.keeps(index), .throwsAway(index), .fails(index)]
                // Otherwise it is built again.
                if isCurrent(build), !things[build].isThrownAway { events.append(.gives(index)) }
            } else if code.built != nil || code.discarded != nil || !code.acts.isEmpty {
                if code.acts.first != .hangs { events.append(.code(index)) }
            } else if let thing = code.thing, things[thing].stage == .begun {
                events.append(.code(index))
            }
        }
        for (index, scope) in scopes.enumerated() { if case .next = scope.step { events.append(.closing(index)) } }
        return events
    }

    mutating func step(_ event: Event) {
        switch event {
        case .code(let code): act(code)
        case .closing(let scope):
            if case .next(let isCircular) = scopes[scope].step { takeStep(of: scope, isCircular: isCircular) }
        case .keeps(let code): endBuild(code) { if !$0.keep($1) { $0.throwAway($1) } }
        case .gives(let code): endBuild(code) { $0.give($1) }
        case .throwsAway(let code): endBuild(code) { $0.throwAway($1) }
        case .fails(let code):
            endBuild(code) { world, thing in
                world.things[thing].stage = .ended
                if world.things[thing].isAwaited { world.perform(world.ends.end(Self.id(of: thing))) }
            }
        case .limit(let code):
            guard let wait = codes[code].wait, let call = wait.call else { return }
            demand(ends.giveUp(call), "a call that has returned gives up")
            if let scope = wait.closing, !wait.ids.allSatisfy({ isOver($0) }) { hurry(scope) }
            goOn(code, isEarly: true)
        }
        check()
    }

    private mutating func act(_ code: Int) {
        let scope = codes[code].scope ?? 0
        if let thing = codes[code].built {
            codes[code].built = nil
            things[thing].hasNumber = false
            return perform(ends.end(Self.id(ofBuild: thing)))
        }
        if let wait = codes[code].discarded { return waitForDiscarded(wait, code) }
        if codes[code].acts.isEmpty { return end(code) }
        switch codes[code].acts.removeFirst() {
        case .hangs: break
        case .reads(let value): read(value, from: scope)
        case .builds(let value): codes[code].building = startBuilding(value, from: scope)
        case .changes(let value): letGo(of: value, .change, by: code)
        case .discards(let value): letGo(of: value, .discard, by: code)
        case .closes(let scope, let hasLimit): close(scope, hasLimit: hasLimit, by: code)
        case .leaves: leave(scope)
        }
    }

    private mutating func endBuild(_ code: Int, _ body: (inout EndsWorld, Int) -> Void) {
        guard let thing = codes[code].building else { return }
        codes[code].building = nil
        body(&self, thing)
        // Otherwise it goes on as what it has registered.
        if things[thing].hasNumber, [.kept, .ended].contains(things[thing].stage) { codes[code].built = thing }
    }

    // MARK: Cleanups

    /// Begins cleanups.
    mutating func begin(_ ready: [Int]) {
        for thing in ready {
            demand(things[thing].stage == .left, "a cleanup begins twice")
            demand(users(of: [thing]).isEmpty, "a cleanup begins before one of what was built from it has ended")
            things[thing].stage = .begun
            codes.append(Code(scope: things[thing].scope, acts: cleanups[things[thing].value] ?? [], thing: thing))
        }
    }

    private mutating func end(_ code: Int) {
        guard let thing = codes[code].thing else { return }
        (things[thing].stage, things[thing].hasNumber) = (.ended, false)
        if things[thing].isTurn { scopes[things[thing].scope].step = .next(isCircular: false) }
        perform(ends.end(Self.id(of: thing)))
    }

    mutating func perform(_ actions: [Ends.Action]) {
        for action in actions {
            switch action {
            case .begin(let id): begin([Int(id) - 1])
            case .resume(let call):
                if let code = codes.firstIndex(where: { $0.wait?.call == call }) { goOn(code) }
                let scope = Int(call / 1000) - 1
                guard scopes.indices.contains(scope), call == Ends.ID(1000 * (scope + 1)) + scopes[scope].calls,
                    case .waits(let ids, let isCircular) = scopes[scope].step
                else { continue }
                demand(ids.allSatisfy { isOver($0) }, "a closing goes on before what it waits for has ended")
                scopes[scope].step = .next(isCircular: isCircular)
            }
        }
    }

    // MARK: Waiting

    /// The number of the end for which code works.
    func caller(_ code: Int) -> Ends.ID? {
        codes[code].thing.map { things[$0].isTurn ? Self.id(ofClosing: things[$0].scope) : Self.id(of: $0) }
    }

    mutating func wait(_ wait: Wait, _ code: Int) {
        var wait = wait
        codes[code].calls += 1
        let call = Ends.ID(10_000 * (code + 1)) + codes[code].calls
        let own = codes[code].thing.map { Self.id(of: $0) }
        let (ids, isCircular) = self.call(call, for: wait.ids, by: caller(code), workingFor: own)
        if isCircular { wait.things = [] }
        let isOver = wait.ids.allSatisfy { self.isOver($0) }
        codes[code].wait = wait
        if ids.isEmpty {
            if wait.hasLimit, !isOver, let scope = wait.closing { hurry(scope) }
            return goOn(code, isEarly: isCircular)
        }
        codes[code].wait?.call = call
        codes[code].wait?.ids = ids
    }

    /// Code no longer waits.
    mutating func goOn(_ code: Int, isEarly: Bool = false) {
        guard let wait = codes[code].wait else { return }
        codes[code].wait = nil
        for scope in wait.marked { scopes[scope].isWaiting = false }
        if isEarly { return }
        demand(wait.ids.allSatisfy { isOver($0) }, "a call returns too early")
        if let scope = wait.closing { demand(scopes[scope].phase == .closed, "close() returns too early") }
        let areOver = wait.things.allSatisfy { things[$0].stage == .ended || things[$0].isGiven }
        demand(areOver, "a discard returns too early")
    }

    // MARK: Demands

    private mutating func check() {
        for thing in things.indices where things[thing].stage == .left {
            demand(!users(of: [thing]).isEmpty, "a cleanup waits for a stranger")
        }
        for wait in codes.compactMap(\.wait) where wait.call != nil {
            demand(!wait.ids.allSatisfy { isOver($0) }, "a call waits for nothing")
        }
        for scope in scopes {
            guard case .waits(let ids, _) = scope.step else { continue }
            demand(!ids.allSatisfy { isOver($0) }, "a closing waits for nothing")
        }
    }

    /// What is demanded where nothing happens any more.
    mutating func checkEnd() {
        let hanging = Set(codes.filter { $0.acts.first == .hangs }.compactMap(\.thing).map { Self.id(of: $0) })
        for wait in codes.compactMap(\.wait) {
            let ids = wait.call == nil ? wait.closing.map { [Self.id(ofClosing: $0)] } ?? [] : wait.ids
            let isHeldUp = ids.contains { waits($0) { hanging.contains($0) } }
            demand(isHeldUp, "somebody hangs, and no cleanup does for which he waits")
        }
        for thing in things.indices where things[thing].stage == .left {
            let isDrained = users(of: [thing]).contains { things[$0].stage == .kept }
            let scope = scopes[things[thing].scope]
            if waits(Self.id(of: thing), forWhere: { hanging.contains($0) }) { continue }
            demand(isDrained, "a cleanup never begins")
            demand(scope.phase != .closed || scope.isCircular, "a cleanup of a closed scope never begins")
        }
        for scope in scopes where !scope.turns.isEmpty {
            let isHeldUp = scope.lastTurn.map { waits(Self.id(of: $0)) { hanging.contains($0) } } ?? true
            demand(isHeldUp, "a turn does not come, although the one before does not hang")
        }
        let keepsNothing = scopes.allSatisfy { $0.phase != .closed || $0.kept.isEmpty && $0.turns.isEmpty }
        demand(keepsNothing, "a closed scope keeps something")
        if hanging.isEmpty, !things.contains(where: { [.left, .begun].contains($0.stage) }) {
            demand(ends == Ends(), "something that is over is remembered")
        }
    }
}
