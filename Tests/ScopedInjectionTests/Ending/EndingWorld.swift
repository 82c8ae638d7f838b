import ScopedInjection
import Synchronization

/// The scopes of a program that runs, and its record.
final class EndingWorld: Sendable {
    /// The world of the program that this task or thread runs.
    @TaskLocal static var current = EndingWorld([], roles: [])
    /// Where the builds of a thread stop, once.
    @TaskLocal static var stop: Stop?

    final class Stop: Sendable {
        let value: Int
        let reached = Gate()
        private let isReached = Box(false)
        private let gate = Gate()

        init(at value: Int) { self.value = value }

        func pass() {
            if isReached.update({ was in
                defer { was = true }; return was
            }) {
                return
            }
            reached.open()
            gate.wait()
        }
        func leaveOut() { if !isReached.value { reached.open() } }
        func open() { gate.open() }
    }

    let builders: [EndingProgram.Builder]
    let record: Box<EndingRecord>
    let scopes: Box<[EnvironmentScope?]>
    /// Opens when the program is over.
    let over = AsyncStream<Never>.makeStream()
    /// How many cleanups may do more than to wait; so cleanups that discard and build each other come to an end.
    private let actions = Box(12)
    /// Whether builds stop; then no cleanup reads, since that would hold up a thread of all tasks.
    let stops = Box(false)
    private let readers = Box(0)

    init(_ builders: [EndingProgram.Builder], roles: Set<Int>) {
        self.builders = builders
        record = Box(EndingRecord(roles: roles))
        var scopes: [EnvironmentScope] = []
        if !builders.isEmpty {
            for (number, parent) in EndingProgram.parents.enumerated() {
                let role: ScopeRole? = roles.contains(number) ? .request : nil
                scopes.append(.empty("\(number)", role: role, parent: parent.map { scopes[$0] }, defaults: .allowed))
            }
        }
        self.scopes = Box(scopes)
    }

    // MARK: Values

    private static let things = (0..<EndingProgram.values).map { declared($0) }

    private static func declared(_ number: Int) -> ScopeValue<EndingThing> {
        let lifetimes: [Int: ValueLifetime] = [
            EndingProgram.staying: .once(in: .request), EndingProgram.transient: .transient,
        ]
        return .lazy(lifetimes[number] ?? .shared, id: number) {
            try build(number, decidedBy: 0, current.builders[number], $0)
        }
    }

    static func thing(_ value: Int) -> ScopeValue<EndingThing> { things[value] }

    // MARK: Reads and builds

    func read(_ value: Int, in scope: EnvironmentScope, by body: Int? = nil) {
        let (begin, known) = record.update { record in
            record.reads += 1
            return (record.now, record.runs.count)
        }
        defer { record.update { $0.reads -= 1 } }
        guard let thing = try? scope.value(for: { _ in Self.thing(value) }) else { return }
        record.update { record in
            record.note("scope \(scope.name ?? "") is given \(thing)")
            record.give(thing, since: begin, after: known, to: body)
        }
    }

    static func build(
        _ value: Int,
        decidedBy home: Int,
        _ builder: EndingProgram.Builder,
        _ reader: ScopeReader
    ) throws -> EndingThing {
        let world = Self.current
        let asking = EnvironmentScope.forLogging.name.flatMap { Int($0) } ?? -1
        let run = world.record.update { $0.begin(value, asking: asking, home: home) }
        func register(_ cleanup: EndingProgram.Cleanup) {
            let number = world.record.update { $0.register(run, on: asking) }
            if cleanup.isPlain {
                reader.onClose { world.clean(number, cleanup) }
            } else {
                reader.onClose { await world.clean(number, cleanup) }
            }
        }
        do {
            if let early = builder.early { register(early) }
            for (other, isTried) in builder.reads {
                let (begin, known) = world.record.update { ($0.now, $0.runs.count) }
                do {
                    let part = try reader[thing(other)]
                    world.record.update { record in
                        record.give(part, since: begin, after: known)
                        record.add(part, of: other, to: run)
                    }
                } catch {
                    let failed = error.underlyingError as? EndingFailed
                    let hasBegun = other == EndingProgram.staying && error.code != .roleMissing
                    world.record.update { $0.add(failed: failed?.run, hasBegun: hasBegun, to: run) }
                    if !isTried { throw EndingFailed(run: run) }
                }
            }
            if let stop, stop.value == value { stop.pass() }
            for cleanup in builder.late { register(cleanup) }
            if builder.fails { throw EndingFailed(run: run) }
        } catch {
            _ = world.record.update { $0.end(run, failed: true) }
            throw error
        }
        return world.record.update { $0.end(run, failed: false) }
    }

    // MARK: Cleanups

    func register(_ cleanup: EndingProgram.Cleanup, on number: Int) {
        guard let scope = scopes.value[number] else { return }
        let registered = record.update { $0.register(nil, on: number) }
        if cleanup.isPlain {
            scope.onClose { self.clean(registered, cleanup) }
        } else {
            scope.onClose { await self.clean(registered, cleanup) }
        }
        record.update { $0.isRegistered(registered) }
    }

    private func takeAction() -> Bool {
        actions.update { left in
            left -= 1
            return left >= 0
        }
    }

    private func clean(_ number: Int, _ cleanup: EndingProgram.Cleanup) {
        record.update { $0.begin(number) }
        Self.$current.withValue(self) { act(cleanup.action) }
        record.update { $0.set(number, .ended) }
    }

    private func clean(_ number: Int, _ cleanup: EndingProgram.Cleanup) async {
        record.update { $0.begin(number) }
        await Self.$current.withValue(self) {
            switch cleanup.action {
            case .hang:
                record.update { $0.set(number, .waiting) }
                for await _ in over.stream {}
            case .close, .discard:
                guard takeAction() else { break }
                record.update { $0.set(number, .waiting) }
                if case .close(let scope) = cleanup.action {
                    await close(scope, within: record.value.place(of: number))
                }
                if case .discard(let scope, let value) = cleanup.action {
                    await discard(scope, value, within: record.value.place(of: number))
                }
            default: act(cleanup.action)
            }
        }
        record.update { $0.set(number, .ended) }
    }

    private func act(_ action: EndingProgram.Action) {
        switch action {
        case .read(let value):
            readers.update { $0 += 1 }
            if !stops.value, takeAction() { read(value, in: .current) }
            readers.update { $0 -= 1 }
        case .register(let scope):
            if takeAction() { register(EndingProgram.Cleanup(isPlain: true, action: .nothing), on: scope) }
        default: break
        }
    }

    /// Lets builds stop, as soon as no cleanup reads.
    func startStopping() async {
        stops.value = true
        while readers.value > 0 { await Task.yield() }
    }

    // MARK: Calls

    /// - Parameter within: The scope of the body or cleanup that calls; nil for none.
    func close(_ number: Int, within: Int? = nil) async {
        guard let scope = scopes.value[number] else { return }
        let call = record.update { $0.call(number, discard: nil, within: within) }
        await scope.close()
        record.update { $0.hasReturned(call) }
    }

    func discard(_ number: Int, _ value: Int?, within: Int? = nil) async {
        guard let scope = scopes.value[number] else { return }
        let call = record.update { $0.call(number, discard: .some(value), within: within) }
        if let value {
            await scope.discardBuiltValues({ _ in Self.thing(value) })
        } else {
            await scope.discardBuiltValues()
        }
        record.update { $0.hasReturned(call) }
    }
}
