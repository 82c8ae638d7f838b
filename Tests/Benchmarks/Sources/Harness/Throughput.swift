internal import Dispatch
internal import Synchronization

/// How much more two threads get done than one.
public struct Throughput: Sendable {
    /// 2 where the threads do not notice each other, 1 where they might as well take turns.
    public let ratio: Double

    /// - Parameters:
    ///   - alone: What one thread took for all the work, in each round.
    ///   - together: When each of two threads did its half, in each round.
    /// - Returns: Nil where no two threads ever ran at once.
    init?(alone: [Duration], together: [(Span, Span)]) {
        let together = together.filter { $0.0.beginsWith($0.1) }.map { max($0.0.duration, $0.1.duration) }
        // Ratio of the best: noise can only make a round longer.
        guard let alone = alone.min(), let together = together.min() else { return nil }
        ratio = alone / together
    }

    /// Measures two operations, each on a thread of its own, against both on one thread.
    ///
    /// - Returns: Nil where the machine never ran both at once, because other programs had its cores.
    public init?(of first: Operation, _ second: Operation, _ effort: Effort) {
        let clock = ContinuousClock()
        let runs = [first, second].map { operation in
            let count = operation.count(for: effort.batch, clock)
            return { @Sendable in operation.run(count) }
        }
        var alone: [Duration] = []
        var together: [(Span, Span)] = []
        // By turns in groups of rounds: while one thread runs alone, the other must not even wait.
        for _ in 0..<effort.threadGroups {
            for _ in 0..<effort.threadRounds { alone.append(clock.measure { for run in runs { run() } }) }
            together += Rounds(count: effort.threadRounds).run(runs[0], runs[1])
        }
        self.init(alone: alone, together: together)
    }

    /// When a thread began and ended its half.
    struct Span: Sendable {
        let start: ContinuousClock.Instant
        let end: ContinuousClock.Instant

        var duration: Duration { start.duration(to: end) }

        /// Where threads share a core the second one begins when the first one has been stopped.
        func beginsWith(_ other: Span) -> Bool {
            let difference = start.duration(to: other.start)
            return max(difference, .zero - difference) < .microseconds(5)
        }
    }
}

/// Rounds that two threads begin at the same time.
private final class Rounds: Sendable {
    private let count: Int
    private let arrivals = Atomic(0)
    private let otherSpans = Mutex<[Throughput.Span]>([])

    init(count: Int) { self.count = count }

    func run(_ first: () -> Void, _ second: @escaping @Sendable () -> Void) -> [(Throughput.Span, Throughput.Span)] {
        let other = DispatchWorkItem { [self] in
            let result = spans(of: second)
            otherSpans.withLock { $0 = result }
        }
        DispatchQueue.global().async(execute: other)
        let result = spans(of: first)
        other.wait()
        return Array(zip(result, otherSpans.withLock { $0 }))
    }

    private func spans(of run: () -> Void) -> [Throughput.Span] {
        (1...count).map { round in
            arrivals.wrappingAdd(1, ordering: .acquiringAndReleasing)
            // Busy, so that a round begins when both threads have a core.
            while arrivals.load(ordering: .acquiring) < 2 * round {}
            let start = ContinuousClock.now
            run()
            return Throughput.Span(start: start, end: .now)
        }
    }
}
