/// How much time a run takes for its measurements.
public struct Effort: Sendable {
    /// How often the two sides of a ratio take turns.
    public var rounds: Int
    /// How long each of them runs in a round.
    public var batch: Duration
    /// How long each thread runs in a round.
    public var threadBatch: Duration
    /// How often the memory of a long-lived scope is put to the test.
    public var memoryRounds: Int

    /// Creates an effort.
    public init(rounds: Int, batch: Duration, threadBatch: Duration, memoryRounds: Int) {
        self.rounds = rounds
        self.batch = batch
        self.threadBatch = threadBatch
        self.memoryRounds = memoryRounds
    }

    /// What the limits are meant for.
    public static let full = Effort(
        rounds: 151,
        batch: .milliseconds(2),
        threadBatch: .milliseconds(20),
        memoryRounds: 10_000_000
    )

    /// A first impression.
    public static let quick = Effort(
        rounds: 31,
        batch: .milliseconds(1),
        threadBatch: .milliseconds(10),
        memoryRounds: 100_000
    )

    /// How often threads run alone and together; their rounds are long.
    var threadRounds: Int { max(1, rounds / 10) }
}
