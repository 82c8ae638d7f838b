/// What was taken out of scopes under a lock, to be let go of when no lock is held.
struct Garbage: ~Copyable {
    // Usually there is nothing, or one value, and then nothing is made.
    private var cell: Cell?
    private var resource: Resource?
    private var content: Content?

    private final class Content {
        @exclusivity(unchecked) var cells: [Cell] = []
        @exclusivity(unchecked) var objects: [AnyObject] = []
        @exclusivity(unchecked) var resources: [Resource] = []
        @exclusivity(unchecked) var ready: [Resource] = []
        @exclusivity(unchecked) var revived: [Resource] = []
        @exclusivity(unchecked) var departures: [(ValueKey, Departure)] = []

        deinit {
            assert(ready.isEmpty, "cleanups are lost")
            assert(ThreadState.isFree, "something is let go of under a lock")
            for cell in cells { cell.destroy() }
        }
    }

    deinit { cell?.destroy() }

    var isEmpty: Bool { cell == nil && resource == nil && content == nil }

    mutating func add(_ object: AnyObject?) {
        if let object { made().objects.append(object) }
    }

    /// Adds what a slot has, and the cleanups of its value; the caller has called `startWriting`.
    mutating func empty(_ slot: UnsafeMutablePointer<Slot>, of node: NodePointer) {
        add(slot.pointee.provider?.take())
        slot.pointee.provider = nil
        takeCell(of: slot, of: node, .replaced)
    }

    /// Adds the value of a slot, and its cleanups; the provider stays.
    ///
    /// - Parameter departure: The reason, which is found out where an observer wants to know it.
    mutating func takeCell(
        of slot: UnsafeMutablePointer<Slot>,
        of node: NodePointer,
        _ departure: @autoclosure () -> Departure
    ) {
        guard let cell = slot.pointee.cell, let key = slot.pointee.key else { return }
        if !cell.isSet, node.isObservedNow { made().departures.append((.at(key), departure())) }
        slot.pointee.cell = nil
        if self.cell == nil { self.cell = cell } else { made().cells.append(cell) }
        if let resource = cell.kept?.pointee.resource { add(node.remove(resource)) }
    }

    /// Adds a resource, which is in no list any more.
    mutating func add(_ resource: Resource) {
        if self.resource == nil { self.resource = resource } else { made().resources.append(resource) }
    }

    /// All resources, in the order in which they were taken out.
    var resources: [Resource] { resource.map { [$0] + (content?.resources ?? []) } ?? [] }

    var hasResources: Bool { resource != nil }

    /// Adds those whose cleanups may run.
    mutating func addReady(_ ready: [Resource]) { if !ready.isEmpty { made().ready += ready } }

    /// Adds those that are used again, for which nobody waits any more.
    mutating func addRevived(_ revived: [Resource]) { if !revived.isEmpty { made().revived += revived } }

    /// Takes the only resource, for whoever runs its cleanups.
    mutating func takeResource() -> Resource? { resource.take() }

    /// Lets go of everything, tells observers of the kept values, and lets the cleanups run that may; no lock is held.
    ///
    /// - Parameter inTasks: Whether all of these run in tasks, for a caller that returns at a limit.
    mutating func letGo(of scope: EnvironmentScope, inTasks: Bool = false) {
        assert(ThreadState.isFree, "something is let go of under a lock")
        resource = nil
        if let content { letGo(content, of: scope, inTasks) }
        cell.take()?.destroy()
    }

    private mutating func letGo(_ content: Content, of scope: EnvironmentScope, _ inTasks: Bool) {
        for (value, departure) in content.departures {
            scope.report(ScopeEvent(.discarded, in: scope, of: value, saying: .because(departure)))
        }
        let ready = content.ready
        content.ready = []
        self.content = nil
        for resource in content.revived { Ending.shared.end(resource.id) }
        Resource.begin(ready, inTasks: inTasks)
    }

    private mutating func made() -> Content {
        if let content { return content }
        let made = Content()
        content = made
        return made
    }
}
