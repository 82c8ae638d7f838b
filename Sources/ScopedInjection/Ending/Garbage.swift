/// What was taken out of scopes under a lock, to be let go of when no lock is held.
struct Garbage: ~Copyable {
    // Usually there is nothing, or one value, and then nothing is made.
    private var cell: Cell?
    private(set) var resource: Resource?
    private var content: Content?

    private final class Content {
        @exclusivity(unchecked) var cells: [Cell] = []
        @exclusivity(unchecked) var objects: [AnyObject] = []
        @exclusivity(unchecked) var resources: [Resource] = []
        @exclusivity(unchecked) var ready: [Resource] = []
        @exclusivity(unchecked) var revived: [Resource] = []
        @exclusivity(unchecked) var departures: [Departed] = []

        deinit {
            assert(ready.isEmpty, "cleanups are lost")
            assert(ThreadState.isFree, "something is let go of under a lock")
            for cell in cells { cell.destroy() }
        }
    }

    /// A kept value of which observers are told.
    private struct Departed {
        let value: ValueKey
        let departure: Departure
        let resource: Resource?
        var holders: [ValueKey] = []
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
        let resource = cell.kept?.pointee.resource
        if !cell.isSet, node.isObservedNow {
            made().departures.append(Departed(value: .at(key), departure: departure(), resource: resource?.object))
        }
        slot.pointee.cell = nil
        add(cell)
        if let resource { add(node.remove(resource)) }
    }

    /// Adds a cell that is in no slot any more.
    mutating func add(_ cell: Cell) { if self.cell == nil { self.cell = cell } else { made().cells.append(cell) } }

    /// Notes what goes on to hold what observers are told of, once that was let go of; the caller has called `startWriting`.
    func noteHolders(in node: NodePointer) {
        guard let content else { return }
        for index in content.departures.indices {
            guard let resource = content.departures[index].resource, !resource.hasBegun else { continue }
            content.departures[index].holders = node.holders(of: resource)
        }
    }

    /// Adds a resource, which is in no list any more.
    mutating func add(_ resource: Resource) {
        if self.resource == nil { self.resource = resource } else { made().resources.append(resource) }
    }

    /// All resources, in the order in which they were taken out.
    var resources: [Resource] { resource.map { [$0] + (content?.resources ?? []) } ?? [] }

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
        for one in content.departures {
            let reason = ScopeEvent.Detail.because(one.departure, heldBy: one.holders)
            scope.report(ScopeEvent(.discarded, in: scope, of: one.value, saying: reason))
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
