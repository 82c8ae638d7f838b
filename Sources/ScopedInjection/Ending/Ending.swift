import Synchronization

/// The ends in progress: the state machine, with what is behind its numbers, and the lock around it.
final class Ending: @unchecked Sendable {
    // Sendable because all but the lock is guarded by it.
    static let shared = Ending()

    /// For whom a task works.
    struct Caller: Sendable {
        // Neither an enum nor optional, because those would be copied by their witnesses.
        /// The resource whose cleanups it runs, or the run of a deferred value; 0 for none.
        var end: Ends.ID = 0
        /// The scope that it closes; the closing has no number before somebody needs one.
        var closing: EnvironmentScope?

        var isAnybody: Bool { end != 0 || closing != nil }
        var id: Ends.ID? { end == 0 ? closing?.closingInProgress : end }
    }

    @TaskLocal static var caller = Caller()

    private let lock = SpinLock()
    @exclusivity(unchecked) private var ends = Ends()
    @exclusivity(unchecked) private var resources: [Ends.ID: Resource] = [:]
    @exclusivity(unchecked) private var continuations: [Ends.ID: CheckedContinuation<Void, Never>] = [:]
    /// What closings and runs are called in texts.
    @exclusivity(unchecked) private var names: [Ends.ID: Name] = [:]
    @exclusivity(unchecked) private var lastID: Ends.ID = 1 << 63

    enum Name {
        case closing(of: String?)
        case run(@Sendable () -> String)

        fileprivate var text: String {
            switch self {
            case .closing(let scope): "the closing of \(EnvironmentScope.display(scope))"
            case .run(let text): text()
            }
        }
    }

    private func nextID() -> Ends.ID {
        lastID += 1
        return lastID
    }

    // MARK: Events

    /// A build is in progress.
    func open(_ id: Ends.ID) { lock.withLock { ends.open(id) } }

    /// A closing or a run is in progress.
    func open(_ name: Name) -> Ends.ID {
        lock.withLock {
            let id = nextID()
            ends.open(id)
            names[id] = name
            return id
        }
    }

    /// The code of an end waits for a closing, which it performs itself.
    func tie(_ closing: Ends.ID, to caller: Ends.ID) {
        lock.withLock { ends.tie(nextID(), to: closing, by: caller) }
    }

    /// Resources were let go of, which have numbers; returns those whose cleanups may run.
    ///
    /// - Parameter users: What was built from each and has not ended.
    func letGo(_ all: [Resource], users: [Ends.ID: [Ends.ID]], turnOf closing: Ends.ID?) -> [Resource] {
        lock.withLock {
            all.filter { resource in
                let (id, scope) = (resource.id, resource.scope.unsafelyUnwrapped)
                resources[id] = resource
                let turn = closing.flatMap { resource === all[0] ? $0 : nil }
                return ends.letGo(id, of: scope.endingID, after: users[id] ?? [], turnOf: turn)
            }
        }
    }

    /// Something that is over goes on as another one, which has not ended, and ends with it.
    func pass(_ id: Ends.ID, to heir: Ends.ID) { lock.withLock { ends.pass(id, to: heir) } }

    /// Something has ended, and what nobody holds up any more runs; no line is held.
    func end(_ id: Ends.ID) { Resource.begin(finish(id)) }

    /// Something has ended; returns what nobody holds up any more.
    func finish(_ id: Ends.ID) -> [Resource] {
        var ready: [Resource] = []
        let (resource, resumed) = lock.withLock { () -> (Resource?, [CheckedContinuation<Void, Never>]) in
            names[id] = nil
            var resumed: [CheckedContinuation<Void, Never>] = []
            for action in ends.end(id) {
                switch action {
                case .begin(let id): if let resource = resources[id] { ready.append(resource) }
                case .resume(let call):
                    if let waiting = continuations.removeValue(forKey: call) { resumed.append(waiting) }
                }
            }
            return (resources.removeValue(forKey: id), resumed)
        }
        withExtendedLifetime(resource) {}
        for waiting in resumed { waiting.resume() }
        return ready
    }

    /// Lets what is held up keep the chain of its scope until it runs, whatever is dropped meanwhile; no line is held.
    func keepChains(of all: [Resource]) {
        for resource in lock.withLock({ all.filter { ends.isHeldUp($0.id) } }) {
            guard let scope = resource.scope else { continue }
            let anchor = Anchor(scope)
            // Else another thread runs it already.
            lock.withLock { if ends.isHeldUp(resource.id) { resource.anchor = anchor } }
        }
    }

    // MARK: Calls

    /// Waits until some ends have come; returns the names of a circle that this would have closed, and nil without one.
    ///
    /// - Parameters:
    ///   - isCancellable: Whether it returns when the task is cancelled.
    ///   - limit: When it returns at the latest.
    ///   - held: What ends only after the caller has gone on.
    nonisolated(nonsending) func wait(
        for ids: [Ends.ID],
        isCancellable: Bool = false,
        within limit: Duration? = nil,
        holding held: [Ends.ID] = []
    ) async -> [String]? {
        let caller = Ending.caller.id
        let (call, waits, way) = lock.withLock {
            let call = nextID()
            let (waits, way) = ends.call(call, for: ids, by: caller, holding: held)
            return (call, waits, way.isEmpty ? nil : ([caller].compactMap { $0 } + way).compactMap { names[$0] })
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

    // MARK: Seeing

    /// What a scope has let go of that has not ended.
    func left(of scope: EnvironmentScope) -> [Resource] {
        lock.withLock { ends.left(of: scope.endingID).sorted().compactMap { resources[$0] } }
    }

    /// For how long values that a scope has let go of have not ended, the oldest of each.
    func times(of scope: EnvironmentScope) -> [ValueKey: Duration] {
        lock.withLock {
            let times = ends.left(of: scope.endingID).lazy.compactMap { self.resources[$0] }
                .compactMap { left in left.value.flatMap { value in left.since.map { (value, $0.time) } } }
            return Dictionary(times, uniquingKeysWith: max)
        }
    }

    /// The numbers of all that a scope's closing waits for, and what of it was let go of.
    func unfinished(of scope: EnvironmentScope, in closing: Ends.ID) -> (ids: Set<Ends.ID>, left: [Resource]) {
        lock.withLock {
            let ids = ends.unfinished(of: scope.endingID, in: closing)
            return (ids, ids.sorted().compactMap { resources[$0] })
        }
    }

    /// Whether a resource has anything to end, as far as that is known.
    func isDue(_ resource: Resource) -> Bool {
        // What waits has not begun, so its cleanups do not change.
        lock.withLock { !ends.isHeldUp(resource.id) || resource.isDue }
    }

    func isOver(_ id: Ends.ID) -> Bool { lock.withLock { !ends.isWaiting(id) } }
}

extension EnvironmentScope {
    fileprivate var endingID: UInt { UInt(bitPattern: node) }
}
