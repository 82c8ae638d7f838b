internal import Dispatch

/// Something to be measured, done as many times as it is asked.
public struct Operation: Sendable {
    private let repeats: Int
    private let around: @Sendable (() -> Void) -> Void
    private let body: @Sendable (Int) -> Void

    /// Creates an operation.
    ///
    /// - Parameters:
    ///   - repeats: How often what is measured happens in each of the iterations that `body` is asked for.
    ///   - around: Runs what it is given where it is to be measured, for example in a scope; not measured itself.
    ///   - body: Loops as often as it is told. The loop is part of the client, so that no iteration calls a closure.
    public init(
        repeats: Int = 1,
        around: @escaping @Sendable (() -> Void) -> Void = { $0() },
        _ body: @escaping @Sendable (Int) -> Void
    ) {
        self.repeats = repeats
        self.around = around
        self.body = body
    }

    /// Creates an operation that may await, and hardly ever waits: it runs on the calling thread as long as it does not.
    public init(awaiting body: nonisolated(nonsending) @escaping @Sendable (Int) async -> Void) {
        self.init { count in
            let isDone = DispatchSemaphore(value: 0)
            func run() async {
                await body(count)
                isDone.signal()
            }
            if #available(macOS 26, *) { Task.immediate { await run() } } else { Task { await run() } }
            isDone.wait()
        }
    }

    /// Does it `count` times.
    ///
    /// - Parameters:
    ///   - count: How often.
    ///   - measure: Runs what is to be measured, and nothing of what goes on around it.
    public func run(_ count: Int, measure: (() -> Void) -> Void = { $0() }) {
        around { measure { body(count) } }
    }

    /// What doing it `count` times takes.
    func duration<C: Clock<Duration>>(_ count: Int, _ clock: C) -> Duration {
        var duration = Duration.zero
        run(count) { duration = clock.measure($0) }
        return duration
    }

    /// The nanoseconds it takes once, measured over `count` iterations.
    func nanoseconds<C: Clock<Duration>>(_ count: Int, _ clock: C) -> Double {
        duration(count, clock) / .nanoseconds(1) / Double(count * repeats)
    }

    /// The number of iterations that take about as long as `batch`.
    func count<C: Clock<Duration>>(for batch: Duration, _ clock: C) -> Int {
        var count = 1
        while true {
            // The shortest of three, or one interruption would make a batch of a few iterations look long enough.
            let elapsed = min(duration(count, clock), duration(count, clock), duration(count, clock))
            if elapsed >= batch { return count }
            // Short measurements say little, so no step is more than tenfold.
            let missing = elapsed > .zero ? batch / elapsed * 1.2 : 10
            count = max(count + 1, Int(Double(count) * min(missing, 10)))
        }
    }
}
