import Synchronization

/// How far the load check has come; what the workers ask before each request.
final class Course: Sendable {
    /// What happens to the server meanwhile.
    enum Stage: Sendable {
        case serving
        /// It is killed, and started again.
        case restarting
        /// Nothing new is sent, until it is known what the server holds open.
        case resting
        /// It is told to stop. A worker that gets no answer is done.
        case stopping
        case over
    }

    private struct State {
        var stage = Stage.serving
        var wasRestarted = false
        var sent = 0
        /// Those who wait for the server to be there again, or for the end of a rest.
        var waiting: [CheckedContinuation<Void, Never>] = []
        /// Those who wait until so many requests are sent.
        var milestones: [(sent: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    /// The numbers of the requests while which the settings change: the second and the third quarter.
    let changes: Range<Int>

    init(requests: Int) { changes = requests / 4..<requests * 3 / 4 }

    /// Whether the server will not be killed any more.
    var isCalm: Bool { state.withLock { $0.wasRestarted } }

    var stage: Stage { state.withLock { $0.stage } }

    /// The number of the next request; nil where no more is to be sent.
    func next() async -> Int? {
        await untilRested()
        let (number, reached) = state.withLock { state -> (Int?, [CheckedContinuation<Void, Never>]) in
            guard state.stage != .over else { return (nil, []) }
            state.sent += 1
            let sent = state.sent
            let reached = state.milestones.filter { $0.sent <= sent }.map(\.continuation)
            state.milestones.removeAll { $0.sent <= sent }
            return (sent, reached)
        }
        for continuation in reached { continuation.resume() }
        return number
    }

    private func untilRested() async {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                if state.stage == .resting { state.waiting.append(continuation) }
                return state.stage == .resting
            }
            if !mustWait { continuation.resume() }
        }
    }

    /// Notes that a worker got no answer, and lets it wait while the server is started again.
    ///
    /// - Returns: Whether that was to be expected.
    func noAnswer() async -> Bool {
        guard stage != .serving, stage != .resting else { return false }
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                switch state.stage {
                case .serving, .resting, .over: return false
                case .stopping:
                    state.stage = .over
                    return false
                case .restarting:
                    state.waiting.append(continuation)
                    return true
                }
            }
            if !mustWait { continuation.resume() }
        }
        return true
    }

    /// Waits until so many requests were sent, or the course is over.
    func reach(_ sent: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.sent >= sent || state.stage == .over { return true }
                state.milestones.append((sent, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// Goes on to another stage, and wakes whoever waits for it.
    func enter(_ stage: Stage) {
        typealias Waiting = [CheckedContinuation<Void, Never>]
        let (waiting, milestones) = state.withLock { state -> (Waiting, Waiting) in
            if state.stage == .restarting, stage == .serving { state.wasRestarted = true }
            state.stage = stage
            guard stage != .restarting, stage != .resting else { return ([], []) }
            let waiting = state.waiting
            state.waiting = []
            let milestones = stage == .over ? state.milestones.map(\.continuation) : []
            if stage == .over { state.milestones = [] }
            return (waiting, milestones)
        }
        for continuation in waiting + milestones { continuation.resume() }
    }
}
