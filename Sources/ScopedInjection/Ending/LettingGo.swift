/// Which bodies may go on to use what is let go of.
enum Users {
    /// Those further in than the scope that lets go of it: it has been changed.
    case furtherIn
    /// Those in that scope, too: only a read has found what is out of date.
    case inside
}

/// Lets go of resources; the caller has called `startWriting`.
extension UnsafeMutablePointer where Pointee == Node {
    /// Lets go of the resources that were taken out; those begin that nobody else holds.
    ///
    /// - Parameter users: The bodies that hold them until they leave; nil where nobody was given them.
    func letGo(_ garbage: inout Garbage, usedBy users: Users?) {
        if garbage.resource == nil { return }
        let all = garbage.resources
        enter(all)
        // Who comes once the ends have begun is refused what has one, and holds nothing up.
        let isHeld = (pointee.flags.contains(.closing) ? nil : users).map { users in
            whenLeft(isFurtherIn: users == .furtherIn) {
                let ready = all.filter { $0.releaseForBodies() }
                return { Resource.begin(ready) }
            }
        }
        if isHeld == true { for resource in all { resource.holdForBodies() } }
        garbage.addReady(all.filter { letGo($0) })
    }

    /// Lets go of one that has entered; whether it may begin.
    func letGo(_ resource: Resource) -> Bool {
        // Before another thread may begin it.
        if pointee.flags.contains(.closed) { resource.scope = withScope { $0 } }
        guard resource.letGo() else { return false }
        resource.scope = withScope { $0 }
        return true
    }

    /// Lets resources be seen until they have ended, before they are let go of.
    func enter(_ all: [Resource]) {
        let now = Stopwatch()
        for resource in all {
            (resource.since, resource.formerKeeper) = (now, self)
            resource.noteBegin(isObserved: isObservedNow)
        }
        pointee.flags.insert(.pending)
        Ending.shared.add(all, of: self)
    }

    /// Lets what has not begun own the scope, which is closed: it keeps nothing any more.
    func ownPending() {
        for resource in Ending.shared.pending(of: self) where !resource.hasBegun { resource.scope = withScope { $0 } }
    }

    /// The scope, unless it is about to go.
    var aliveScope: EnvironmentScope? {
        // A weak reference to an object that is being deinitialized is nil.
        weak var scope: EnvironmentScope?
        pointee.owner?.with { scope = $0 }
        return scope
    }
}

extension Resource {
    /// Finds the scope in which the cleanups run; one that goes meanwhile is taken over by another one.
    func findScope() -> EnvironmentScope? {
        guard let node = formerKeeper else { return scope }
        var attempt = 0
        while true {
            node.inspect { if scope == nil { scope = node.aliveScope } }
            if let scope { return scope }
            attempt += 1
            backOff(attempt: attempt)
        }
    }
}

extension Resource {
    /// What texts call it.
    func name(in scope: EnvironmentScope) -> String {
        guard let value = value ?? title?.value else {
            return title?.place.map { "\(ScopeError.Location($0))" } ?? "a cleanup of \(scope.displayName)"
        }
        return value.name
    }
}

extension EnvironmentScope {
    /// Lets go of what a function takes out, which is called with the lines of all readers held.
    func letGo<Result>(_ users: Users?, inTasks: Bool = false, _ takeOut: (inout Garbage) -> Result) -> Result {
        var garbage = Garbage()
        let lines = node.startWriting()
        let result = takeOut(&garbage)
        node.letGo(&garbage, usedBy: users)
        garbage.noteHolders(in: node)
        node.finishWriting(lines)
        garbage.letGo(of: self, inTasks: inTasks)
        return result
    }

    /// Runs cleanups that nobody was given.
    func letGo(of resource: Resource) { letGo(nil) { $0.add(resource) } }

    /// Waits for the ends of a discard, and for those of values that were let go of here before.
    nonisolated(nonsending) func waitForEnds(_ all: [Resource], and isConcerned: (ValueKey?) -> Bool) async {
        let pending = Ending.shared.pending(of: node).filter { isConcerned($0.value) }
        report(circle: await Ending.shared.wait(for: .init(resources: all + pending)))
    }
}
