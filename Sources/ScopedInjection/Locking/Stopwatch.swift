/// Measures a duration; a class, so that without observers a build holds only nil.
final class Stopwatch: Sendable {
    private let start = ContinuousClock.now

    // Not inlined: a function with an instant in it makes room on the stack for a size that is known when it runs.
    var time: Duration {
        @inline(never) get { ContinuousClock.now - start }
    }

    @inline(never)
    init() {}
}
