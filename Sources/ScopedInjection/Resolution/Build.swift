import Synchronization

/// One building of one value: what it reads is recorded here, and who needs the value waits here.
///
/// The builds that a thread or task is in the middle of form a chain through `outer`, which child tasks inherit.
final class Build: Awaitable {
    let key: AnyKey
    /// The key that was read, which `key` may stand for by an alias.
    let asked: AnyKey
    /// The binding that is being built, so that another one is not mistaken for it.
    let decision: UInt64

    /// What is left for building again, of the read that this build is part of.
    let patience: Patience

    private let state: Guarded<State>

    /// What other threads may know of the build.
    private struct State: Sendable {
        var phase: Phase
        /// The build that needs this one, while it is in progress.
        var outer: Build?
        /// The build whose builder made the asking scope, or one it lies below: what is read here is read there.
        var above: Build?
        var hasChildren = false
        var provenance: Provenance
        var cleanups: [@Sendable () async -> Void] = []
        var cycle: ScopeError?
        var hasChangedScopes = false
        var isOutOfDate = false
        /// How often scopes had been given new parents when the chain was taken down.
        let moves: UInt64
        var waiting: [Signal] = []
    }

    private enum Phase {
        /// For the first scope of the chain, all of which is held so that the inputs cannot go away.
        case building(chain: [EnvironmentScope])
        /// With the scope that keeps the value, or asked for one that is not kept.
        case over(WeakScope, ScopeError?)
    }

    private struct WeakScope: Sendable {
        weak var scope: EnvironmentScope?
    }

    init(_ plan: Plan, of asked: AnyKey, asking: EnvironmentScope, outer: Build?, _ patience: Patience) {
        self.patience = patience
        key = plan.key
        self.asked = asked
        decision = plan.decision
        var provenance = Provenance()
        provenance.decision = plan.decision
        provenance.keys = [plan.key.id]
        let moves = ReaderLocks.shared.moves
        state = Guarded(
            State(
                phase: .building(chain: asking.chain),
                outer: outer,
                above: asking.buildAbove,
                provenance: provenance,
                moves: moves
            )
        )
        Self.inProgress.wrappingAdd(1, ordering: .relaxed)
    }
}

// MARK: - The scope given to the builder

extension Build {
    /// The scope that the builder's scope stands for: the asking one, then the one that keeps the value.
    var standIn: EnvironmentScope? {
        state.withLock { state in
            switch state.phase {
            case .building(let chain): chain[0]
            case .over(let keeper, _): keeper.scope
            }
        }
    }

    /// The scope whose view of the inputs decides; nil once the build is over.
    var asking: EnvironmentScope? {
        state.withLock { state in
            if case .building(let chain) = state.phase { chain[0] } else { nil }
        }
    }

    var isBuilding: Bool { asking != nil }

    private var outer: Build? { state.withLock { $0.outer } }

    /// Records an input, and lets those who wait find out whether they still see the same ones.
    func record(_ input: Provenance.Input, from source: Provenance?) {
        let above = state.withLock { $0.above }
        above?.record(input, from: source)
        let signals = state.withLock { state -> [Signal] in
            guard case .building(let chain) = state.phase else { return [] }
            if let owner = input.owner, !chain.contains(where: { ObjectIdentifier($0) == owner }) {
                // What lies in a scope that the builder itself made is no input; what lies in a new parent is.
                if ReaderLocks.shared.moves != state.moves { state.isOutOfDate = true }
                return []
            }
            state.provenance.keys.insert(input.key.id)
            if let source { state.provenance.formUnion(source) }
            if state.provenance.inputs.contains(where: { $0 == input }) { return [] }
            state.provenance.inputs.append(input)
            defer { state.waiting = [] }
            return state.waiting
        }
        for signal in signals { signal.set() }
    }

    /// Records what a value was built from that nobody keeps, or that could not be built.
    func record(unkept build: Build, of plan: Plan) {
        let inner = build.provenance
        let owner = plan.provider.map { _ in ObjectIdentifier(plan.limit) }
        record(
            Provenance.Input(key: plan.key, fact: .decision, version: plan.decision, owner: owner),
            from: inner
        )
        for input in inner.inputs { record(input, from: nil) }
        if inner.usesFreeDefault { recordDefault(under: nil) }
        // What is recorded of a build that is out of date need not tell.
        if build.isOutOfDate {
            if build.hasChangedScopes { noteChange() }
            noteOutOfDate()
        }
    }

    /// Records that a value could not even be looked for.
    func record(unfound key: AnyKey, decision: UInt64) {
        record(
            Provenance.Input(key: key, fact: .decision, version: decision, owner: nil),
            from: nil
        )
    }

    /// Records what the policy makes of the default that is about to be built.
    func recordDefault(under policy: Provenance.Input?) {
        if let policy { record(policy, from: nil) } else { state.withLock { $0.provenance.usesFreeDefault = true } }
    }

    /// Records that the scope that would keep the value is closed.
    func recordClosed(_ keeper: EnvironmentScope) {
        let owner = ObjectIdentifier(keeper)
        record(
            Provenance.Input(key: key, fact: .closed, version: keeper.versionOfChain, owner: owner),
            from: nil
        )
    }

    /// Notes that the builder itself changed a scope: building again would only change it again.
    func noteChange() { state.withLock { $0.hasChangedScopes = true } }

    /// Notes that what was read may not have been true at one moment, so that the value has to be built again.
    func noteOutOfDate() { state.withLock { $0.isOutOfDate = true } }

    var isOutOfDate: Bool { state.withLock { $0.isOutOfDate } }

    /// Whether a build that needs this one has to be done again, which to do this one again would only put off.
    var isForOneOutOfDate: Bool { ancestry.dropFirst().contains { $0.isOutOfDate } }

    var hasChangedScopes: Bool { state.withLock { $0.hasChangedScopes } }

    var provenance: Provenance { state.withLock { $0.provenance } }

    /// Adds a cleanup for whichever scope will keep the value; false once the build is over.
    func addCleanup(_ cleanup: @escaping @Sendable () async -> Void) -> Bool {
        state.withLock { state in
            guard case .building = state.phase else { return false }
            state.cleanups.append(cleanup)
            return true
        }
    }

    func takeCleanups() -> [@Sendable () async -> Void] {
        state.withLock { state in
            defer { state.cleanups = [] }
            return state.cleanups
        }
    }
}

// MARK: - The chain of builds

extension Build {
    /// How many builds are in progress, so that who sets a value need not ask whom it works for.
    static var isAnyInProgress: Bool { inProgress.load(ordering: .relaxed) > 0 }

    private static let inProgress = Atomic<Int>(0)

    /// The innermost build in progress that this thread or task works for.
    static var current: Build? {
        guard isAnyInProgress, let scope = Anchor.current?.scope else { return nil }
        guard case .builder(let build) = scope.role else { return scope.buildAbove }
        return build.isBuilding ? build : nil
    }

    /// This build and those that need it, innermost first.
    var ancestry: some Sequence<Build> {
        sequence(first: self, next: \.outer)
    }

    func isWithin(_ other: Build) -> Bool { ancestry.contains { $0 === other } }

    /// Marks every build from this one out to `outermost` as part of a cycle; none of them can give a value.
    func doom(to outermost: Build, _ error: ScopeError) {
        for build in ancestry {
            build.state.withLock { $0.cycle = $0.cycle ?? error }
            if build === outermost { return }
        }
    }

    /// Notes that there may be no cycle any more, so that all that was part of it has to be built again.
    func noteCycleOutOfDate() {
        for build in ancestry.prefix(while: { $0.cycle != nil }) { build.noteOutOfDate() }
    }

    /// The cycle the build is part of, whether or not its builder let the error pass.
    var cycle: ScopeError? { state.withLock { $0.cycle } }
}

// MARK: - Ending and waiting

extension Build {
    /// How a build looks to somebody who needs its value.
    enum Progress {
        /// It is over; nil where it gave a value.
        case over(ScopeError?)
        /// It has read something that is different for who waits.
        case diverged
        /// To wait would be to wait for oneself.
        case wouldDeadlock
    }

    /// Ends the build, and everybody's waiting for it; from now on its scope stands for `keeper`.
    func finish(for keeper: EnvironmentScope, error: ScopeError? = nil) {
        let (signals, released, hasChildren) = state.withLock { state -> ([Signal], (Phase, Build?, Build?), Bool) in
            if case .building = state.phase { Self.inProgress.wrappingSubtract(1, ordering: .relaxed) }
            let released = (state.phase, state.outer, state.above)
            state.above = nil
            state.phase = .over(WeakScope(scope: keeper), error)
            state.outer = nil
            defer { state.waiting = [] }
            return (state.waiting, released, state.hasChildren)
        }
        for signal in signals { signal.set() }
        // The children's parent is another scope now.
        if hasChildren { ReaderLocks.shared.advanceEpoch() }
        withExtendedLifetime(released) {}
    }

    /// Whether any builder ever made a child of its scope; as long as none has, nobody looks for one.
    static var hasChildren: Bool { anyHasChildren.load(ordering: .relaxed) }

    private static let anyHasChildren = Atomic(false)

    /// Notes that a scope was made whose parent is the builder's scope.
    func noteChild() {
        Self.anyHasChildren.store(true, ordering: .relaxed)
        state.withLock { $0.hasChildren = true }
    }

    /// Guards what every build waits for.
    private static let waits = Guarded(Waits<Build>())

    /// Waits until the build is over, or turns out to be for others only.
    func wait(for scope: EnvironmentScope, within waiter: Build?) -> Progress {
        while true {
            let signal = Signal()
            let (asking, error, inputs) = state.withLock { state -> (EnvironmentScope?, ScopeError?, Provenance) in
                switch state.phase {
                case .building(let chain):
                    state.waiting.append(signal)
                    return (chain[0], nil, state.provenance)
                case .over(_, let error):
                    return (nil, error, state.provenance)
                }
            }
            if scope !== asking, inputs.isPinned || !scope.areCurrent([self]) { return .diverged }
            guard asking != nil else { return .over(error) }
            guard let waiter else {
                signal.wait()
                continue
            }
            guard Self.waits.withLock({ $0.add(waiter, for: self) }) else { return .wouldDeadlock }
            signal.wait()
            Self.waits.withLock { $0.remove(waiter, for: self) }
        }
    }
}
