import Synchronization

/// Which builds wait for which, so that none waits for itself.
enum Waits {
    private struct Wait: Sendable {
        let waiter: Build
        let awaited: Build
    }

    private static let waits = Guarded<[Wait]>([])

    /// Notes that `waiter`, and so every build that needs it, waits for `awaited`; false where that would never end.
    static func add(_ waiter: Build, for awaited: Build) -> Bool {
        waits.withLock { waits in
            var reached = [awaited]
            var next = 0
            while next < reached.count {
                let build = reached[next]
                next += 1
                if waiter.isWithin(build) { return false }
                for wait in waits where wait.waiter.isWithin(build) {
                    if !reached.contains(where: { $0 === wait.awaited }) { reached.append(wait.awaited) }
                }
            }
            waits.append(Wait(waiter: waiter, awaited: awaited))
            return true
        }
    }

    static func remove(_ waiter: Build, for awaited: Build) {
        waits.withLock { waits in
            guard let index = waits.firstIndex(where: { $0.waiter === waiter && $0.awaited === awaited }) else {
                return
            }
            waits.remove(at: index)
        }
    }
}
