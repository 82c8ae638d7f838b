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
        let pair = PairOfThreads(first, second, effort)
        for _ in 0..<effort.threadGroups { pair.measure(effort.threadRounds) }
        guard let throughput = pair.throughput else { return nil }
        self = throughput
    }

    /// What two threads gained, in the groups of rounds before and after which two cores were free: then what shares
    /// nothing gained what two cores give.
    public struct Groups {
        private let counted: [(subject: Double, plain: Double)]

        /// - Parameters:
        ///   - subjects: What was gained in each group.
        ///   - plains: What was gained with what shares nothing before the first group, and after each one.
        /// - Returns: Nil where too few groups count: then other programs had the cores.
        init?(_ subjects: [Throughput?], beside plains: [Throughput?]) {
            counted = zip(subjects, zip(plains, plains.dropFirst())).compactMap { subject, around in
                guard let subject, let before = around.0, let after = around.1 else { return nil }
                guard min(before.ratio, after.ratio) >= 1.6 else { return nil }
                return (subject.ratio, (before.ratio + after.ratio) / 2)
            }
            if counted.count < 5 { return nil }
        }

        /// Measures by turns what two threads gain with one pair of operations and with another that shares nothing.
        public init?(_ subject: (Operation, Operation), beside plain: (Operation, Operation), _ effort: Effort) {
            let subject = PairOfThreads(subject.0, subject.1, effort)
            let plain = PairOfThreads(plain.0, plain.1, effort)
            var subjects: [Throughput?] = []
            var plains = [plain.measure(effort.threadRounds)]
            for _ in 0..<effort.threadGroups {
                subjects.append(subject.measure(effort.threadRounds))
                plains.append(plain.measure(effort.threadRounds))
            }
            self.init(subjects, beside: plains)
        }

        /// The gain of the median group.
        public var gain: Double { median(counted.map(\.subject)) }
        /// The gain as a part of what is gained with what shares nothing.
        public var part: Double { median(counted.map { $0.subject / $0.plain }) }
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
