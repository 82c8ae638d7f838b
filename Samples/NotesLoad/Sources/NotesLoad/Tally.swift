import Synchronization

/// Counts what was sent and answered, and collects what did not match.
final class Tally: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        var slowest: [String: Duration] = [:]
        var mismatches: [String] = []
        var mismatchCount = 0
    }

    private let state = Mutex(State())

    func count(_ what: String, _ number: Int = 1) { state.withLock { $0.counts[what, default: 0] += number } }

    /// Notes how long something has taken, if nothing of the kind has taken longer.
    func time(_ what: String, _ duration: Duration) {
        state.withLock { $0.slowest[what] = max($0.slowest[what] ?? .zero, duration) }
    }

    func slowest(_ what: String) -> Duration { state.withLock { $0.slowest[what] ?? .zero } }

    /// Counts a mismatch.
    ///
    /// The texts of the first twenty are kept.
    func mismatch(_ text: String) {
        state.withLock { state in
            state.mismatchCount += 1
            if state.mismatches.count < 20 { state.mismatches.append(text) }
        }
    }

    /// Notes a mismatch unless the condition holds.
    func expect(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { mismatch(text()) }
    }

    subscript(what: String) -> Int { state.withLock { $0.counts[what] ?? 0 } }

    var mismatches: (count: Int, texts: [String]) { state.withLock { ($0.mismatchCount, $0.mismatches) } }
}
