import ScopedInjection

/// Runs a program with cleanups.
final class EndingRunner: Sendable {
    private let world: EndingWorld
    private let isAlone: Bool
    private enum Order: Sendable {
        case close(Int)
        case read(Int)
    }

    private let bodies = Box<[Int: AsyncStream<Order>.Continuation]>([:])
    private let calls = Box<[Task<Void, Never>]>([])
    private let stops = Box<[(EndingWorld.Stop, Gate)]>([])
    private let entries = Box<Set<Int>>([])
    private let limit: Duration

    /// What is wrong, with all that happened; nil if nothing is.
    static func failure(in program: EndingProgram, limit: Duration = .seconds(60)) async -> (text: String, log: String)?
    {
        let world = EndingWorld(program.builders, roles: program.roles)
        return await EndingWorld.$current.withValue(world) {
            let runner = EndingRunner(world, program.tasks == 1, limit)
            await withTaskGroup { group in
                for task in 0..<program.tasks {
                    group.addTask {
                        for (index, step) in program.steps.enumerated() where index % program.tasks == task {
                            if world.record.value.failure != nil { break }
                            world.record.update { $0.note("\(step)") }
                            await runner.run(step)
                            if runner.isAlone { await runner.settle() }
                        }
                    }
                }
            }
            await runner.finish()
            let record = world.record.value
            return record.failure.map { ($0, record.log.joined(separator: "\n")) }
        }
    }

    private init(_ world: EndingWorld, _ isAlone: Bool, _ limit: Duration) {
        (self.world, self.isAlone, self.limit) = (world, isAlone, limit)
    }

    private func run(_ step: EndingProgram.Step) async {
        let known = world.record.value.runs.count
        switch step {
        case .read(let at, let value):
            guard let scope = world.scopes.value[at] else { return }
            if world.stops.value { startReading(value, scope, nil) } else { world.read(value, in: scope) }
        case .readStopped(let at, let value, let stopped):
            guard let scope = world.scopes.value[at] else { return }
            await world.startStopping()
            let stop = EndingWorld.Stop(at: stopped)
            startReading(value, scope, stop)
        case .resume: await resume()
        case .set(let at, let value):
            guard let scope = world.scopes.value[at] else { return }
            scope[EndingWorld.thing(value)] = EndingThing(run: nil, home: at)
            change(value, at, isThere: true, known)
        case .provide(let at, let value, let builder):
            world.scopes.value[at]?.provide({ _ in EndingWorld.thing(value) }) {
                try EndingWorld.build(value, decidedBy: at, builder, $0)
            }
            change(value, at, isThere: true, known)
        case .remove(let at, let value):
            world.scopes.value[at]?.removeValue { _ in EndingWorld.thing(value) }
            change(value, at, isThere: false, known)
        case .discard(let at, let value):
            start { await self.world.discard(at, value) }
            if isAlone, world.scopes.value[at] != nil {
                world.record.update { $0.discard(value, in: at, after: known) }
            }
        case .close(let at): start { await self.world.close(at) }
        case .closeWithin(let inner, let at): bodies.value[inner]?.yield(.close(at))
        case .enter(let at): enter(at)
        case .readWithin(let at, let value): if !world.stops.value { bodies.value[at]?.yield(.read(value)) }
        case .leave(let at): bodies.update { $0.removeValue(forKey: at) }?.finish()
        case .register(let at, let cleanup): world.register(cleanup, on: at)
        case .drop(let at):
            world.record.update { $0.dropped.insert(at) }
            world.scopes.update { $0[at] = nil }
        }
    }

    /// Whether something is set or provided decides on what a removal changes.
    private func change(_ value: Int, _ at: Int, isThere: Bool, _ known: Int) {
        guard isAlone, world.scopes.value[at] != nil else { return }
        let place = at * EndingProgram.values + value
        let wasThere = entries.update { entries in
            defer { if isThere { entries.insert(place) } else { entries.remove(place) } }
            return entries.contains(place)
        }
        world.record.update { $0.change(value, in: at, after: known, wasThere: isThere || wasThere) }
    }

    private func start(_ call: nonisolated(nonsending) @escaping @Sendable () async -> Void) {
        let task = startAtOnce(call)
        calls.update { $0.append(task) }
    }

    private func startReading(_ value: Int, _ scope: EnvironmentScope, _ stop: EndingWorld.Stop?) {
        let asking = Box<EnvironmentScope?>(scope)
        let world = world
        let end = onThread {
            EndingWorld.$current.withValue(world) {
                EndingWorld.$stop.withValue(stop) { if let scope = asking.value { world.read(value, in: scope) } }
            }
            asking.value = nil
            stop?.leaveOut()
        }
        stops.update { $0.append((stop ?? EndingWorld.Stop(at: -1), end)) }
    }

    private func resume() async {
        let all = stops.update { stops in
            defer { stops = [] }
            return stops
        }
        for (stop, _) in all { stop.open() }
        for (_, end) in all { await end.passed() }
        world.stops.value = false
    }

    private func enter(_ at: Int) {
        guard let scope = world.scopes.value[at] else { return }
        let (stream, orders) = AsyncStream.makeStream(of: Order.self)
        let isNew = bodies.update { bodies in
            if bodies[at] == nil { bodies[at] = orders } else { return false }
            return true
        }
        let world = world
        guard isNew else { return }
        start {
            await scope {
                let body = world.record.update { $0.enter(at) }
                for await order in stream {
                    switch order {
                    case .close(let closed): await world.close(closed, within: at)
                    case .read(let value): world.read(value, in: scope, by: body)
                    }
                }
                world.record.update { $0.leave(body) }
            }
        }
    }

    // MARK: What has to go on

    private func settle() async {
        await wait("waits for a stranger: cleanups") { record in record.owed.map { "\($0)" } }
        if bodies.value.isEmpty, stops.value.isEmpty {
            await wait("waits, though nothing hangs:") { record in
                record.isAnythingWaiting ? [] : record.openCalls.filter(\.isClose).map(\.text)
            }
        }
    }

    /// Waits until a list is empty, or fails.
    private func wait(_ text: String, _ list: @Sendable (EndingRecord) -> [String]) async {
        var deadline: ContinuousClock.Instant?
        while world.record.value.failure == nil {
            let left = list(world.record.value)
            if left.isEmpty { return }
            let end = deadline ?? .now + limit
            deadline = end
            if ContinuousClock.now > end { world.record.update { $0.fail("\(text) \(left)") } }
            await Task.yield()
        }
    }

    private func finish() async {
        world.over.continuation.finish()
        await resume()
        let entered = bodies.update { bodies in
            defer { bodies = [:] }
            return bodies
        }
        for body in entered.values { body.finish() }
        for at in EndingProgram.parents.indices.shuffled() { start { await self.world.close(at) } }
        await wait("not returned:") { $0.openCalls.map(\.text) }
        if world.record.value.failure != nil { return }
        for call in calls.value { await call.value }
        calls.value = []
        world.scopes.update { $0 = $0.map { _ in nil } }
        await wait("never ended: cleanups") { $0.notEnded.map { "\($0)" } }
    }
}
