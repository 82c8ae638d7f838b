import Synchronization

/// Why resources are let go of, which decides what goes along with them.
enum Reason {
    /// What was built from them further in is waited for.
    case change
    /// What was built from them goes along, wherever it is kept, but for what stays.
    case discard
    /// What nobody uses goes along.
    case closing
}

/// Lets go of resources: finds what was built from them and has not ended; the caller has called `startWriting`.
extension UnsafeMutablePointer where Pointee == Node {
    /// Lets go of the resources that were taken out, and of what goes along with them.
    func letGo(_ garbage: inout Garbage, _ reason: Reason, turnOf closing: Ends.ID? = nil) {
        if !garbage.hasResources { return }
        var all = garbage.resources
        var users = users(of: all)
        // Again and again, because what was built from what stays knows nothing of what that was built from.
        while true {
            let (count, roles) = (all.count, all.compactMap { $0.value?.role })
            let along = users.all.filter { goesAlong($0, reason, roles) }
            for resource in along { take(resource, &garbage, reason == .discard ? .discarded : .closed) }
            if !along.isEmpty { all = garbage.resources }
            if all.count == count { break }
            users = self.users(of: all)
        }
        garbage.addReady(enter(all, users: users.ids, turnOf: closing))
    }

    /// Lets the state machine of ends know resources; returns those whose cleanups may run.
    @discardableResult
    func enter(_ all: [Resource], users: [Ends.ID: [Ends.ID]] = [:], turnOf closing: Ends.ID?) -> [Resource] {
        let now = Stopwatch()
        for resource in all {
            resource.since = now
            _ = resource.makeID(anyReader)
            if resource.scope == nil { resource.scope = withScope { $0 } }
            // Else its turn has come already, and another thread runs it.
            if resource.title == nil { resource.noteBegin(isObserved: resource.scope?.node.isObservedNow == true) }
            resource.scope?.node.pointee.flags.insert(.left)
        }
        return Ending.shared.letGo(all, users: users, turnOf: closing)
    }

    /// One of the lines that are held.
    fileprivate var anyReader: Int { pointee.readers.load(ordering: .relaxed).trailingZeroBitCount }

    /// What was built from resources and has not ended, all of it, and for each by its number.
    private func users(of all: [Resource]) -> (all: [Resource], ids: [Ends.ID: [Ends.ID]]) {
        var (found, ids): ([Resource], [Ends.ID: [Ends.ID]]) = ([], [:])
        var wanted: Set<Ends.ID>?
        forEachUser { user, line in
            let known = wanted ?? Set(all.map(\.id).filter { $0 != 0 })
            wanted = known
            let used = user.uses.filter { known.contains($0) }
            if used.isEmpty { return }
            user.isAwaited = true
            let id = user.makeID(line)
            for other in used { ids[other, default: []].append(id) }
            found.append(user)
        }
        return (found, ids)
    }

    /// Whether anything was built from a resource and has not ended.
    func hasUsers(of resource: Resource) -> Bool {
        var isFound = false
        if resource.id != 0 { forEachUser { user, _ in isFound = isFound || user.uses.contains(resource.id) } }
        return isFound
    }

    /// Calls a function with all that was built from values with cleanups, here and further in, and has not ended.
    private func forEachUser(_ body: (Resource, _ line: Int) -> Void) {
        Resource.forEach(Lines.Bits(bits: pointee.readers.load(ordering: .relaxed)), of: pointee.lines, body)
    }

    /// - Parameter roles: Those of what is let go of, if it stays.
    fileprivate func goesAlong(_ user: Resource, _ reason: Reason, _ roles: [ValueKey] = []) -> Bool {
        // Otherwise it has been let go of, or is a build.
        guard let keeper = user.node else { return false }
        return switch reason {
        case .change: false
        // What stays is waited for, unless its scope is about to end it: a cleanup there may be who discards.
        case .discard:
            keeper == self || keeper.pointee.flags.contains(.closing)
                || user.value?.role.map { roles.contains($0) } != false
        case .closing: keeper == self || !keeper.isInUse
        }
    }

    /// Whether somebody runs in the scope, who does not wait for a closing further out; then he is waited for until he leaves.
    private var isInUse: Bool {
        if !pointee.flags.isDisjoint(with: [.closing, .closed, .waiting]) || !Lending.waitForLeaving(self) {
            return false
        }
        makeExtras().whenLeft = { $0.letGoOfAwaited(in: $0.node) }
        return true
    }

    /// Takes out a resource that this scope or one further in keeps, unless that scope is about to go.
    ///
    /// A scope below one that is gone may have readers that are none of this one's; what it keeps is waited for.
    private func take(_ resource: Resource, _ garbage: inout Garbage, _ departure: Departure) {
        guard let keeper = resource.node, keeper.chain.contains(self), let scope = keeper.aliveScope else {
            return
        }
        if let slot = resource.value.flatMap({ keeper.slot($0.address) }),
            slot.pointee.cell?.kept?.pointee.resource == Borrowed(resource)
        {
            garbage.takeCell(of: slot, of: keeper, departure, in: scope)
            keeper.countRemoval()
            keeper.countChange()
        } else {
            garbage.add(keeper.remove(Borrowed(resource)), in: scope)
        }
    }

    /// The scope, unless it is about to go.
    private var aliveScope: EnvironmentScope? {
        // A weak reference to an object that is being deinitialized is nil.
        weak var scope: EnvironmentScope?
        pointee.owner?.with { scope = $0 }
        return scope
    }

    /// Takes out what scopes further in keep though others wait for it, where nobody has to be waited for.
    func takeAwaited(_ garbage: inout Garbage, where isToGo: (NodePointer, Resource) -> Bool) {
        var awaited: [Resource] = []
        forEachUser { user, _ in
            if user.isAwaited, let keeper = user.node, isToGo(keeper, user) { awaited.append(user) }
        }
        for resource in awaited { take(resource, &garbage, .closed) }
    }

    /// The same for all scopes below this one; nobody waits for who runs in this one.
    func takeAwaitedBelow(_ garbage: inout Garbage) {
        takeAwaited(&garbage) { keeper, _ in keeper != self && keeper.chain.contains(self) && !keeper.isInUse }
    }
}

extension Resource {
    /// Calls a function with what lies in the lists of lines, which the caller holds.
    fileprivate static func forEach(_ bits: Lines.Bits, of lines: Lines, _ body: (Resource, _ line: Int) -> Void) {
        bits.forEach { line in
            var at = lines.resources(line)
            while let user = at {
                user.with { body($0, line) }
                at = user.nextOnLine
            }
        }
    }

    /// The names of what has one of some numbers, and was not let go of; the caller holds every line.
    static func names(of ids: Set<Ends.ID>, _ lines: Lines) -> [String] {
        var names: [String] = []
        forEach(Lines.Bits.every, of: lines) { user, _ in
            guard ids.contains(user.id), let value = user.value, user.scope == nil else { return }
            let place = user.node.map { " in \($0.withScope { $0.displayName })" } ?? ", which is being built"
            names.append(value.name + place)
        }
        return names
    }

    /// Lets another one go on for this one; the caller holds the line of both.
    func pass(to heir: Resource, _ line: Int) {
        heir.isAwaited = true
        Ending.shared.pass(id, to: heir.makeID(line))
    }

    /// What texts call it, for a reader of a scope.
    func name(from scope: EnvironmentScope) -> String {
        guard let value = value ?? title?.value else {
            return title?.place.map { "\(ScopeError.Location($0))" }
                ?? "a cleanup of \((self.scope ?? scope).displayName)"
        }
        return self.scope.map { $0 === scope } != false
            ? value.name : "\(value.name) in \(self.scope?.displayName ?? "")"
    }
}

extension EnvironmentScope {
    /// Lets go of what a function takes out, which is called with the lines of all readers held.
    func letGo<Result>(_ reason: Reason, inTasks: Bool = false, _ takeOut: (inout Garbage) -> Result) -> Result {
        var garbage = Garbage()
        let lines = node.startWriting()
        let result = takeOut(&garbage)
        node.letGo(&garbage, reason)
        node.finishWriting(lines)
        garbage.letGo(of: self, inTasks: inTasks)
        return result
    }

    /// Lets go of what a scope keeps though others wait for it, which is this one or one further in.
    fileprivate func letGoOfAwaited(in keeper: NodePointer) {
        letGo(.closing) { node.takeAwaited(&$0) { at, _ in at == keeper } }
    }

    /// Lets go of what was built from values that were let go of before, for a discard that waits for these.
    func letGoOfUsers(of ids: Set<Ends.ID>) {
        letGo(.discard) {
            node.takeAwaited(&$0) { _, user in
                !ids.isDisjoint(with: user.uses) && node.goesAlong(user, .discard)
            }
        }
    }

    /// Runs cleanups that nobody was given, as soon as what was built from their values has ended.
    ///
    /// - Parameter build: The number by which a discard waits for the build that has registered them; 0 for none.
    func letGo(of resource: Resource, for build: Ends.ID = 0) {
        letGo(.change) { garbage in
            garbage.add(resource)
            // Before they may run, and end.
            if build != 0 { Ending.shared.pass(build, to: resource.makeID(node.anyReader)) }
        }
    }
}
