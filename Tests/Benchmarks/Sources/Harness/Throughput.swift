internal import Dispatch

/// How much more two threads get done than one.
public struct Throughput: Sendable {
    /// 2 where the threads do not notice each other, 1 where they might as well take turns.
    public let ratio: Double

    /// What was measured in each round: the time one thread takes for all the work, and two threads for half each.
    init(rounds: [(alone: Duration, together: Duration)]) {
        // Ratio of the best: noise can only make either of them longer, and a slow `alone` would flatter its round.
        let alone = rounds.map(\.alone).min() ?? .zero
        let together = rounds.map(\.together).min() ?? .zero
        ratio = together > .zero ? alone / together : .nan
    }

    /// Measures two operations, each on a thread of its own, against both on one thread.
    public init(of first: Operation, _ second: Operation, _ effort: Effort) {
        let clock = ContinuousClock()
        let operations = [first, second]
        let counts = operations.map { $0.count(for: effort.threadBatch, clock) }
        let rounds = (0..<effort.threadRounds).map { _ in
            let alone = clock.measure {
                for (operation, count) in zip(operations, counts) { operation.run(count) }
            }
            let together = clock.measure {
                DispatchQueue.concurrentPerform(iterations: 2) { operations[$0].run(counts[$0]) }
            }
            return (alone, together)
        }
        self.init(rounds: rounds)
    }
}
