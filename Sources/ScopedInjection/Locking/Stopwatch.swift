/// Measures a duration; a class, so that without observers a build holds only nil.
final class Stopwatch: Sendable {
    private let start = ContinuousClock.now
    var time: Duration { ContinuousClock.now - start }
}
