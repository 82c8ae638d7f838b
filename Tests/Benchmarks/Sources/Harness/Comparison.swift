/// How much longer one operation takes than another.
public struct Comparison: Sendable {
    /// The median of the ratios of the rounds.
    public let ratio: Double
    /// The median of what the subject takes, in nanoseconds.
    public let nanoseconds: Double
    /// The median of what the baseline takes, in nanoseconds.
    public let baselineNanoseconds: Double

    /// What was measured in each round, in nanoseconds.
    init(rounds: [(baseline: Double, subject: Double)]) {
        ratio = median(rounds.map { $0.subject / $0.baseline })
        nanoseconds = median(rounds.map(\.subject))
        baselineNanoseconds = median(rounds.map(\.baseline))
    }

    /// Measures both by turns.
    ///
    /// The two sides of a round run right after one another, so what slows the machine down slows both. A round in which
    /// it hit one of them only is far off, and the median passes over it.
    public init<C: Clock<Duration>>(
        of subject: Operation,
        to baseline: Operation,
        _ effort: Effort,
        clock: C = ContinuousClock()
    ) {
        let baselineCount = baseline.count(for: effort.batch, clock)
        let subjectCount = subject.count(for: effort.batch, clock)
        let rounds = (0..<effort.rounds).map { round in
            // Who goes first changes, in case the one leaves the caches to the other.
            if round.isMultiple(of: 2) {
                let baseline = baseline.nanoseconds(baselineCount, clock)
                return (baseline, subject.nanoseconds(subjectCount, clock))
            }
            let subject = subject.nanoseconds(subjectCount, clock)
            return (baseline.nanoseconds(baselineCount, clock), subject)
        }
        self.init(rounds: rounds)
    }
}

extension Comparison {
    /// Measures, by turns, what an operation takes beyond what another one does that is a part of it.
    public init<C: Clock<Duration>>(
        of subject: Operation,
        beyond part: Operation,
        to baseline: Operation,
        _ effort: Effort,
        clock: C = ContinuousClock()
    ) {
        let operations = [baseline, part, subject]
        let counts = operations.map { $0.count(for: effort.batch, clock) }
        let rounds = (0..<effort.rounds).map { round in
            var nanoseconds = [0.0, 0.0, 0.0]
            // Who goes first changes here too.
            for step in 0..<3 {
                let index = (round + step) % 3
                nanoseconds[index] = operations[index].nanoseconds(counts[index], clock)
            }
            return (baseline: nanoseconds[0], subject: nanoseconds[2] - nanoseconds[1])
        }
        self.init(rounds: rounds)
    }
}

/// The number in the middle.
public func median(_ numbers: [Double]) -> Double {
    let sorted = numbers.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
}
