import ScopedInjection

/// A small world of scopes, resources and code around the state machine of ends, of which every interleaving can be run.
///
/// Each step is what the library does while it holds its locks.
struct EndsWorld: Hashable {
    enum Value: Hashable { case pool, session, transaction, other }

    /// What code does, that of a task or of a cleanup.
    enum Act: Hashable {
        case hangs
        case reads(Value)
        /// The value ends up kept, given, thrown away, or without a cleanup.
        case builds(Value)
        case discards(Value)
        /// The next read builds another one.
        case changes(Value)
        case closes(Int, hasLimit: Bool = false)
        case leaves
    }

    enum Stage: Hashable { case building, kept, left, begun, ended }

    /// A value with a cleanup.
    struct Thing: Hashable {
        let value: Value
        var scope: Int
        /// What it was built from, directly or not, by bits.
        var uses: UInt32 = 0
        var stage = Stage.building
        /// Given to one reader, and kept for no other.
        var isGiven = false
        var isThrownAway = false
        /// Whether a discard has made a number for the end of its build.
        var hasNumber = false
        var isAwaited = false
        /// Whether the task of a closing runs its cleanup.
        var isTurn = false
    }

    enum Step: Hashable {
        case runs(Int)
        case waits([Ends.ID], isCircular: Bool)
        case next(isCircular: Bool)
    }

    struct Scope: Hashable {
        enum Phase: Hashable { case open, closing, closingLate, closed }
        var phase = Phase.open
        /// What has its turn in a closing, the next one last; first built during the closing: after all others.
        var turns: [Int] = []
        var kept: [Int] = []
        var isEntered = false
        /// Whether its body waits for a closing further out.
        var isWaiting = false
        /// Whether somebody is told when its body leaves.
        var isLeavingAwaited = false
        var hasLeft = false
        var hasNumber = false
        /// What the task of its closing does.
        var step: Step?
        var lastTurn: Int?
        var isCircular = false
        var calls: Ends.ID = 0

        /// What is kept has its turns.
        mutating func takeKept() { (turns, kept) = (kept, turns) }
    }

    struct Wait: Hashable {
        /// The number of the call, and what it is for; nil for the task of a closing.
        var call: Ends.ID?
        var ids: [Ends.ID] = []
        var closing: Int?
        var discarding: Int?
        var value: Value?
        var hasLimit = false
        /// What has to have ended then.
        var things: [Int] = []
        var marked: [Int] = []
    }

    /// A task, or a cleanup.
    struct Code: Hashable {
        /// The scope in force; nil for none.
        var scope: Int?
        var acts: [Act]
        /// The resource whose cleanup it is.
        var thing: Int?
        var wait: Wait?
        /// What a discard is about to wait for.
        var discarded: Wait?
        var building: Int?
        /// A build that is over, for which a discard has to be told.
        var built: Int?
        var calls: Ends.ID = 0
    }

    var ends = Ends()
    /// A chain: each is the parent of the next one.
    var scopes: [Scope]
    var things: [Thing] = []
    var codes: [Code] = []
    /// Where each value is kept, and what its cleanup does.
    let keepers: [Value: Int]
    let cleanups: [Value: [Act]]
    /// The first demand that was not met.
    var broken: String?

    /// A task that leaves its scope has entered it.
    init(_ keepers: [Value: Int], _ cleanups: [Value: [Act]] = [:], _ tasks: [(scope: Int?, acts: [Act])]) {
        (self.keepers, self.cleanups) = (keepers, cleanups)
        scopes = Array(repeating: Scope(), count: (keepers.values.max() ?? 0) + 1)
        for value in [Value.pool, .other, .session, .transaction] where keepers[value] != nil {
            read(value, from: scopes.count - 1)
        }
        codes = tasks.map { Code(scope: $0.scope, acts: $0.acts) }
        for task in tasks where task.acts.contains(.leaves) { scopes[task.scope ?? 0].isEntered = true }
    }

    mutating func demand(_ isMet: Bool, _ text: String) { if !isMet, broken == nil { broken = text } }

    // MARK: Numbers

    static func id(of thing: Int) -> Ends.ID { Ends.ID(thing + 1) }
    static func id(ofBuild thing: Int) -> Ends.ID { Ends.ID(thing + 101) }
    static func id(ofClosing scope: Int) -> Ends.ID { Ends.ID(scope + 201) }
    static func node(_ scope: Int) -> UInt { UInt(scope + 1) }

    func isOver(_ id: Ends.ID) -> Bool {
        switch id {
        case 201...: scopes[Int(id) - 201].phase == .closed
        case 101...: !things[Int(id) - 101].hasNumber
        default: things[Int(id) - 1].stage == .ended
        }
    }

    /// What an end waits for now.
    private func next(after id: Ends.ID) -> [Ends.ID] {
        if id > 200 {
            let scope = scopes[Int(id) - 201]
            let turn = scope.lastTurn.map { [Self.id(of: $0)] } ?? []
            if case .waits(let ids, _) = scope.step { return turn + ids }
            return turn
        }
        if id > 100 {
            let thing = Int(id) - 101
            return [.left, .begun].contains(things[thing].stage) ? [Self.id(of: thing)] : []
        }
        let thing = Int(id) - 1
        if things[thing].stage == .left { return users(of: [thing]).map { Self.id(of: $0) } }
        let wait = codes.first { $0.thing == thing }?.wait
        return wait.map { $0.call == nil ? $0.closing.map { [Self.id(ofClosing: $0)] } ?? [] : $0.ids } ?? []
    }

    /// Whether an end waits, directly or not, for one that meets a condition.
    func waits(_ id: Ends.ID, forWhere isFound: (Ends.ID) -> Bool) -> Bool {
        var (known, open) = (Set([id]), [id])
        while let id = open.popLast() {
            if isFound(id) { return true }
            for next in next(after: id) where !isOver(next) && known.insert(next).inserted { open.append(next) }
        }
        return false
    }

    /// Makes a call; returns what it waits for, and whether the caller would have waited for himself.
    mutating func call(_ call: Ends.ID, for ids: [Ends.ID], by caller: Ends.ID?, workingFor own: Ends.ID?)
        -> (ids: [Ends.ID], isCircular: Bool)
    {
        let open = ids.filter { !isOver($0) }
        let free = open.filter { id in own.map { own in !waits(id) { $0 == own } } ?? true }
        let (isWaiting, circle) = ends.call(call, for: ids, by: caller)
        demand(circle.isEmpty == (free.count == open.count), "a circle is overlooked, or told where there is none")
        demand(isWaiting == !free.isEmpty, "a call returns too early, or waits for nothing")
        return (isWaiting ? free : [], !circle.isEmpty)
    }

    // MARK: Building

    func isCurrent(_ thing: Int) -> Bool {
        things.indices.allSatisfy { things[thing].uses & 1 << $0 == 0 || things[$0].stage == .kept }
    }

    func keeper(of value: Value, from scope: Int) -> Int { min(keepers[value] ?? 0, scope) }

    func kept(_ value: Value, in scope: Int) -> [Int] {
        (scopes[scope].turns + scopes[scope].kept).filter { things[$0].value == value && !things[$0].isGiven }
    }

    /// What a read gives, which builds it if it has to; nil for the error `closed`.
    @discardableResult
    mutating func read(_ value: Value, from scope: Int) -> Int? {
        if let thing = kept(value, in: keeper(of: value, from: scope)).first(where: { isCurrent($0) }) { return thing }
        guard let thing = startBuilding(value, from: scope) else { return nil }
        if keep(thing) { return thing }
        throwAway(thing)
        return nil
    }

    /// Begins a build, which reads what the value is built from.
    mutating func startBuilding(_ value: Value, from scope: Int) -> Int? {
        // Where it is known that nothing can be kept any more, no builder is called.
        if [.closingLate, .closed].contains(scopes[keeper(of: value, from: scope)].phase) { return nil }
        var uses: UInt32 = 0
        if let input: Value = value == .transaction ? .session : value == .session ? .pool : nil {
            guard let thing = read(input, from: scope) else { return nil }
            uses = things[thing].uses | 1 << thing
        }
        things.append(Thing(value: value, scope: scope, uses: uses))
        demand(things.count < 12, "it never stops building")
        return things.count - 1
    }

    /// Keeps what was built; false if it has to be thrown away.
    mutating func keep(_ thing: Int) -> Bool {
        let value = things[thing].value
        let keeper = keeper(of: value, from: things[thing].scope)
        let old = kept(value, in: keeper)
        if ![.open, .closing].contains(scopes[keeper].phase) || !isCurrent(thing) || things[thing].isThrownAway
            || old.contains(where: { isCurrent($0) })
        {
            return false
        }
        for thing in old { take(thing) }
        (things[thing].stage, things[thing].scope) = (.kept, keeper)
        scopes[keeper].kept.append(thing)
        begin(letGo(old, in: keeper, .change))
        return true
    }

    /// Gives what was built, which belongs to the scope that has asked.
    mutating func give(_ thing: Int) {
        let scope = things[thing].scope
        if scopes[scope].phase == .closed { return throwAway(thing) }
        (things[thing].stage, things[thing].isGiven) = (.kept, true)
        if scopes[scope].phase == .open { scopes[scope].kept.append(thing) } else { scopes[scope].turns.append(thing) }
    }

    mutating func throwAway(_ thing: Int) {
        let ready = letGo([thing], in: things[thing].scope, .change)
        if things[thing].hasNumber { ends.pass(Self.id(ofBuild: thing), to: Self.id(of: thing)) }
        begin(ready)
    }
}
