/// How much time a run takes for its measurements.
public struct Effort: Sendable {
    /// How often the two sides of a ratio take turns.
    var rounds: Int
    /// How often one thread and two threads take turns.
    var threadGroups: Int
    /// How often the memory of a long-lived scope is put to the test.
    public var memoryRounds: Int

    /// How long an operation runs in a round: well below the time slices of the system, so that most rounds are over
    /// before another program gets the core.
    var batch = Duration.microseconds(200)
    /// How many rounds one thread or two threads have at a turn.
    var threadRounds = 20

    /// What the limits are meant for.
    public static let full = Effort(rounds: 1_501, threadGroups: 50, memoryRounds: 10_000_000)

    /// A first impression.
    public static let quick = Effort(rounds: 201, threadGroups: 10, memoryRounds: 100_000)
}
