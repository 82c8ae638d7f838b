import ScopedInjection

/// Some resources with those who hold them, and a call that waits: each atomic step of the library is a step here.
///
/// The counts are the library's `Holds`, and the calls its `Ends`. What a step does to several resources is as many steps.
struct HoldsWorld: Hashable {
    /// What was built from what: a transaction, a session and a page from a pool, and that from a file.
    enum Name: Int, CaseIterable { case file, pool, transaction, session, page }

    enum Step: Hashable {
        /// A build reads, and keeps its value, or throws it away.
        case read(Name), keep(Name), throwAway(Name)
        /// A change lets go of something, in a scope further out than the body's.
        case change(Name)
        /// A turn of a closing does, once nobody is inside; or else it waits.
        case turn(Name)
        case enter, leave
        case call(Name), giveUp
        // What the others consist of.
        case mark(Name), release(Name), unuse(Name), use(Name), end(Name), leaveGroup(Name), ended(Name)
    }

    /// What is wrong on purpose.
    enum Fault: CaseIterable {
        case bodyIsNotCounted, releasedTwice, releasedBeforeMarked, turnDoesNotWait, useIsNotPassedOn
    }

    private struct Resource: Hashable {
        var holds = Holds()
        var uses: [Name] = []
        var isThere = true
        var hasBegun = false
        /// The build under way that has read it holds it, and so do the bodies of its group.
        var isRead = false
        var isInGroup = false
    }

    private var resources: [Resource]
    private var ends = Ends()
    private var isInside = false
    /// What each task has to do.
    private(set) var tasks: [[Step]]
    private var isWaiting = false
    /// What has had its turn last.
    private var turn: Name?
    private let fault: Fault?

    init(_ tasks: [[Step]], fault: Fault? = nil) {
        (self.tasks, self.fault) = (tasks, fault)
        resources = Name.allCases.map { _ in Resource() }
        for (user, used) in [(Name.pool, Name.file), (.transaction, .pool), (.session, .pool)] {
            build(user, from: used)
        }
        resources[Name.page.rawValue].isThere = false
    }

    private mutating func build(_ user: Name, from used: Name) {
        self[user].uses = [used]
        _ = self[used].holds.hold()
        _ = self[used].holds.use()
    }

    private subscript(_ name: Name) -> Resource {
        get { resources[name.rawValue] }
        set { resources[name.rawValue] = newValue }
    }

    // MARK: Steps

    /// The worlds after each next step, or what is wrong.
    func next() -> (worlds: [HoldsWorld], broken: String?) {
        var worlds: [HoldsWorld] = []
        for task in tasks.indices {
            guard let step = tasks[task].first else { continue }
            var world = self
            world.tasks[task].removeFirst()
            if let broken = world.run(step, task) { return ([], "\(broken), in \(self)") }
            if world != self || world.tasks != tasks { worlds.append(world) }
        }
        return (worlds, worlds.isEmpty ? atEnd : nil)
    }

    private var atEnd: String? {
        if tasks.contains(where: { !$0.isEmpty }) { return "somebody waits for ever: \(tasks)" }
        if isWaiting { return "a call does not return" }
        let lost = Name.allCases.first { self[$0].isThere && self[$0].holds.isLetGo && !self[$0].holds.isOver }
        return lost.map { "\($0) does not end" }
    }

    private mutating func add(_ steps: [Step], _ task: Int) { tasks[task] = steps + tasks[task] }

    private mutating func run(_ step: Step, _ task: Int) -> String? {
        switch step {
        case .enter: isInside = true
        case .leave:
            isInside = false
            add(Name.allCases.filter { self[$0].isInGroup }.map { .leaveGroup($0) }, task)
        case .read(let name):
            if self[name].holds.hold() { self[name].isRead = true } else { tasks[task] = [] }
        case .keep(let name):
            self[name].isThere = true
            self[name].uses = [.pool]
            self[.pool].isRead = false
            add([.use(.pool)], task)
        case .throwAway(let name):
            self[name].isRead = false
            add([.release(name)], task)
        case .change(let name):
            // In one step with the look for bodies, under the lines.
            if isInside, fault != .bodyIsNotCounted {
                _ = self[name].holds.hold()
                _ = self[name].holds.use()
                self[name].isInGroup = true
            }
            let halves: [Step] = [.mark(name), .release(name)]
            add(fault == .releasedBeforeMarked ? halves.reversed() : halves, task)
            if fault == .releasedTwice { add([.release(name)], task) }
        case .turn(let name):
            if isInside || self[name].isInGroup { return wait(step, task) }
            if let turn, !self[turn].holds.isOver { return "the turn of \(name) comes before \(turn) has ended" }
            if self[name].holds.isHeldOnce || fault == .turnDoesNotWait {
                turn = name
                // A build may have read it just before, which is waited for.
                let ending: [Step] = [.mark(name), .release(name)]
                add(fault == .turnDoesNotWait ? ending : ending + [.ended(name)], task)
            } else {
                return wait(step, task)
            }
        case .ended(let name): if !self[name].holds.isOver { return wait(step, task) }
        case .leaveGroup(let name):
            self[name].isInGroup = false
            add([.unuse(name), .release(name)], task)
        case .mark(let name):
            if self[name].holds.isLetGo || !self[name].holds.isUsed { return "\(name) is let go of twice" }
            if self[name].holds.markLetGo(), fault != .useIsNotPassedOn {
                add(self[name].uses.map { .unuse($0) }, task)
            }
        case .unuse(let name):
            if !self[name].holds.isUsed { return "\(name) is used by fewer than nobody" }
            if self[name].holds.unuse() { add(self[name].uses.map { .unuse($0) }, task) }
        case .use(let name):
            if !self[name].holds.isHeld { return "\(name) is used, though nobody holds it" }
            let (isFirst, isAwaited) = self[name].holds.use()
            if !isFirst { break }
            if isAwaited { resume(name) }
            add(self[name].uses.map { .use($0) }, task)
        case .release(let name): return release(name, task)
        case .end(let name):
            if self[name].holds.end() { resume(name) }
            add(self[name].uses.map { .release($0) }, task)
        case .call(let name):
            if self[name].holds.wait() {
                ends.open(id(name))
                isWaiting = ends.call(1, for: [id(name)]).waits
            }
        case .giveUp: if ends.giveUp(1) { isWaiting = false }
        }
        return nil
    }

    /// Nothing happens, so the step is there again.
    private mutating func wait(_ step: Step, _ task: Int) -> String? {
        add([step], task)
        return nil
    }

    private func id(_ name: Name) -> Ends.ID { Ends.ID(name.rawValue + 10) }

    private mutating func resume(_ name: Name) { if ends.end(id(name)).contains(1) { isWaiting = false } }

    private mutating func release(_ name: Name, _ task: Int) -> String? {
        if !self[name].holds.isHeld { return "\(name) is released more often than it is held" }
        let isLast = self[name].holds.isHeldOnce
        if isLast, self[name].holds.isUsed || !self[name].holds.isLetGo {
            return "\(name) begins to end while it is used"
        }
        if !self[name].holds.release() { return nil }
        if self[name].hasBegun { return "\(name) begins to end twice" }
        self[name].hasBegun = true
        if self[name].isRead { return "\(name) begins to end under a build" }
        if isInside, fault == .bodyIsNotCounted { return "\(name) begins to end under a body" }
        if let user = Name.allCases.first(where: {
            self[$0].isThere && self[$0].uses.contains(name) && !self[$0].holds.isOver
        }) {
            return "\(name) begins to end before \(user) has ended"
        }
        add([.end(name)], task)
        return nil
    }

    // MARK: Exploring

    /// What is wrong in any interleaving, and how many worlds there are.
    static func explore(_ tasks: [[Step]], fault: Fault? = nil) -> (broken: String?, count: Int) {
        let first = HoldsWorld(tasks, fault: fault)
        var (seen, todo): (Set<HoldsWorld>, [HoldsWorld]) = ([first], [first])
        while let world = todo.popLast() {
            let (worlds, broken) = world.next()
            if let broken { return (broken, seen.count) }
            for next in worlds where seen.insert(next).inserted { todo.append(next) }
        }
        return (nil, seen.count)
    }
}
