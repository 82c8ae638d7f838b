internal import Dispatch
internal import Synchronization

/// Two operations, done by turns on one thread and on a thread each.
final class PairOfThreads {
    private let runs: [@Sendable () -> Void]
    private var alone: [Duration] = []
    private var together: [(Throughput.Span, Throughput.Span)] = []

    init(_ first: Operation, _ second: Operation, _ effort: Effort) {
        runs = [first, second].map { operation in
            let count = operation.count(for: effort.batch, ContinuousClock())
            return { operation.run(count) }
        }
    }

    /// What all the rounds so far say.
    var throughput: Throughput? { Throughput(alone: alone, together: together) }

    /// Measures so many rounds on one thread, then on two: while one thread runs alone, the other must not even wait.
    ///
    /// - Returns: What these rounds say by themselves.
    @discardableResult
    func measure(_ rounds: Int) -> Throughput? {
        let clock = ContinuousClock()
        let alone = (0..<rounds).map { _ in clock.measure { for run in runs { run() } } }
        let together = Rounds(count: rounds).run(runs[0], runs[1])
        self.alone += alone
        self.together += together
        return Throughput(alone: alone, together: together)
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
