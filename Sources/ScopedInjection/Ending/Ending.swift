import Synchronization

/// The ends that somebody waits for, or that have to be seen, and the lock around them.
final class Ending: @unchecked Sendable {
    // Sendable because all but the lock is guarded by it.
    static let shared = Ending()

    /// For whom a task works.
    struct Caller: Sendable {
        // Neither an enum nor optional, because those would be copied by their witnesses.
        /// The run of a deferred value; 0 for none.
        var run: Ends.ID = 0
        /// The resource whose cleanups it runs.
        var resource: Resource?
        /// The scope that it closes.
        var closing: EnvironmentScope?

        var isAnybody: Bool { run != 0 || resource != nil || closing != nil }

        /// What does not end before a call of the task returns.
        var behind: [Ends.ID] {
            if let resource { return resource.isOver ? [] : resource.idsBehind }
            return closing?.idsBehindClosing ?? (run == 0 ? [] : [run])
        }
    }

    /// What a call is for; an object, because one that is not there costs nothing to be passed on.
    final class Targets: Sendable {
        /// Closings, runs and bodies.
        let ids: [Ends.ID]
        let resources: [Resource]

        init(ids: [Ends.ID] = [], resources: [Resource] = []) { (self.ids, self.resources) = (ids, resources) }
    }

    @TaskLocal static var caller = Caller()

    /// The id of the body that calls, which does not leave before the call returns.
    static var body: [Ends.ID] { Anchor.current?.idOfBody.map { [$0] } ?? [] }

    private let lock = SpinLock()
    @exclusivity(unchecked) private var ends = Ends()
    @exclusivity(unchecked) private var continuations: [Ends.ID: CheckedContinuation<Void, Never>] = [:]
    /// What closings and runs are called in texts.
    @exclusivity(unchecked) private var names: [Ends.ID: Name] = [:]
    /// What the scope of a node has let go of last that has not ended; owned, and linked to what was let go of before.
    @exclusivity(unchecked) private var pending: [NodePointer: Borrowed<Resource>] = [:]
    @exclusivity(unchecked) private var lastID: Ends.ID = 0

    enum Name {
        case closing(of: String?)
        case body(in: String?)
        case run(@Sendable () -> String)

        fileprivate var text: String {
            switch self {
            case .closing(let scope): "the closing of \(EnvironmentScope.display(scope))"
            case .body(let scope): "what runs in \(EnvironmentScope.display(scope))"
            case .run(let text): text()
            }
        }
    }

    /// Odd, as no address is.
    private func nextID() -> Ends.ID {
        lastID += 4
        return lastID | 3
    }

    // MARK: Events

    /// A run is in progress.
    func open(_ name: Name) -> Ends.ID {
        lock.withLock {
            let id = nextID()
            ends.open(id)
            names[id] = name
            return id
        }
    }

    /// A closing is in progress for which somebody wants to wait.
    func open(_ closing: Ends.ID, _ name: Name) {
        lock.withLock {
            ends.open(closing)
            names[closing] = name
        }
    }

    /// The code of an end waits for a closing, which it performs itself.
    func tie(_ closing: Ends.ID, behind: [Ends.ID]) {
        lock.withLock { ends.tie(nextID(), to: closing, behind: behind) }
    }

    /// Resources are about to be let go of, and are seen until they have ended.
    func add(_ all: [Resource], of node: NodePointer) {
        lock.withLock {
            for resource in all {
                let new = Borrowed.retaining(resource)
                resource.older = pending[node]
                resource.older?.newer = new
                pending[node] = new
            }
        }
    }

    /// A closing or a run has ended, or a resource, or one is used again; no line is held.
    func end(_ id: Ends.ID, _ resource: Resource? = nil) {
        let (gone, resumed) = lock.withLock { () -> (Borrowed<Resource>?, [CheckedContinuation<Void, Never>]) in
            names[id] = nil
            let calls = ends.end(id)
            return (resource.flatMap { remove($0) }, calls.compactMap { continuations.removeValue(forKey: $0) })
        }
        gone?.release()
        for waiting in resumed { waiting.resume() }
    }

    private func remove(_ resource: Resource) -> Borrowed<Resource>? {
        guard let node = resource.formerKeeper else { return nil }
        let this = Borrowed(resource)
        if let newer = resource.newer { newer.older = resource.older } else { pending[node] = resource.older }
        resource.older?.newer = resource.newer
        (resource.older, resource.newer, resource.formerKeeper) = (nil, nil, nil)
        return this
    }

    // MARK: Calls

    /// Waits until some ends have come; returns the names of a circle that this would have closed, and nil without one.
    ///
    /// It does not wait for what something uses that a scope keeps: that ends when it is let go of, which nobody knows.
    ///
    /// - Parameters:
    ///   - isCancellable: Whether it returns when the task is cancelled.
    ///   - limit: When it returns at the latest.
    nonisolated(nonsending) func wait(
        for targets: Targets,
        isCancellable: Bool = false,
        within limit: Duration? = nil
    ) async -> [String]? {
        let behind = Ending.caller.behind + Ending.body
        let (call, waits, way) = lock.withLock {
            let call = nextID()
            var ids = targets.ids
            for resource in targets.resources where resource.markAwaited() {
                ends.open(resource.id)
                ids.append(resource.id)
            }
            let (waits, way) = ends.call(call, for: ids, behind: behind)
            return (call, waits, way.isEmpty ? nil : (behind.prefix(1) + way).compactMap { names[$0] })
        }
        // Without the lock, because an identifier's description is user code.
        let circle = way?.map(\.text)
        guard waits else { return circle }
        let timer = limit.map { limit in
            Task.detached {
                // In parts, between which others run: on a busy machine one of these tasks may come late.
                for _ in 0..<50 { try? await Task.sleep(for: limit / 50) }
                self.giveUp(call)
            }
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = lock.withLock {
                    if ends.isWaiting(call) { continuations[call] = continuation }
                    return !ends.isWaiting(call)
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            if isCancellable { giveUp(call) }
        }
        timer?.cancel()
        return circle
    }

    private func giveUp(_ call: Ends.ID) {
        let waiting = lock.withLock { ends.giveUp(call) ? continuations.removeValue(forKey: call) : nil }
        waiting?.resume()
    }

    /// Whether all has ended, but for what is used.
    func isOver(_ targets: Targets) -> Bool {
        targets.resources.allSatisfy { $0.isOver || $0.isUsed }
            && lock.withLock { !targets.ids.contains { ends.isOpen($0) } }
    }

    // MARK: Seeing

    func hasPending(_ node: NodePointer) -> Bool { lock.withLock { pending[node] != nil } }

    /// What a scope has let go of that has not ended.
    func pending(of node: NodePointer) -> [Resource] {
        lock.withLock {
            sequence(state: pending[node]) { next in
                defer { next = next?.older }
                return next?.object
            }.map { $0 }
        }
    }
}
