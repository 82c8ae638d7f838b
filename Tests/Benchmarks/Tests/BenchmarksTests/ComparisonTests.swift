import Synchronization
import Testing

@testable import Harness

@Suite("A ratio compares what two operations take once")
struct ComparisonTests {
    private let clock = VirtualClock()
    private let effort = Effort(rounds: 11, threadGroups: 0, memoryRounds: 0)

    @Test("It is that of the two durations, however many iterations fill a batch")
    func ratioOfDurations() {
        let comparison = Comparison(of: operation(35), to: operation(14), effort, clock: clock)
        #expect(comparison.ratio == 2.5)
        #expect(comparison.nanoseconds == 35)
        #expect(comparison.baselineNanoseconds == 14)
    }

    @Test("An interruption while the size of a batch is looked for leaves it long enough")
    func interruptedCalibration() {
        let clock = clock
        let calls = Atomic(0)
        let counts = Atomic(0)
        let subject = Operation { count in
            if calls.wrappingAdd(1, ordering: .relaxed).newValue == 1 { clock.advance(by: .milliseconds(3)) }
            clock.advance(by: .nanoseconds(20) * count)
            counts.store(count, ordering: .relaxed)
        }
        _ = Comparison(of: subject, to: operation(10), effort, clock: clock)
        #expect(counts.load(ordering: .relaxed) >= 10_000)
    }

    @Test("What is done several times in an iteration counts as often")
    func repeats() {
        let comparison = Comparison(of: operation(500, repeats: 5), to: operation(50), effort, clock: clock)
        #expect(comparison.ratio == 2)
        #expect(comparison.nanoseconds == 100)
    }

    @Test("What an operation takes beyond a part of it is their difference")
    func difference() {
        let comparison = Comparison(of: operation(90), beyond: operation(30), to: operation(20), effort, clock: clock)
        #expect(comparison.ratio == 3)
        #expect(comparison.nanoseconds == 60)
        #expect(comparison.baselineNanoseconds == 20)
    }

    @Test("What goes on around an operation takes no part")
    func around() {
        let clock = clock
        let entered = Operation(around: { inside in
            clock.advance(by: .seconds(1))
            inside()
        }) { clock.advance(by: .nanoseconds(30) * $0) }
        #expect(Comparison(of: entered, to: operation(10), effort, clock: clock).ratio == 3)
    }

    @Test("Noise that slows the machine down for some rounds slows both sides, so the ratio stays")
    func commonNoise() {
        let rounds = (1...10).map { (baseline: 10.0 * Double($0), subject: 25.0 * Double($0)) }
        #expect(Comparison(rounds: rounds).ratio == 2.5)
    }

    @Test("Rounds in which noise hit one side only are passed over", arguments: [(10.0, 900.0), (800.0, 25.0)])
    func oneSidedNoise(baseline: Double, subject: Double) {
        var rounds = Array(repeating: (baseline: 10.0, subject: 25.0), count: 7)
        rounds += Array(repeating: (baseline: baseline, subject: subject), count: 6)
        #expect(Comparison(rounds: rounds).ratio == 2.5)
    }

    @Test("The two sides take turns, and so does who goes first")
    func turns() {
        let log = Log()
        let clock = clock
        func operation(_ name: String) -> Operation {
            Operation { count in
                log.append(name)
                clock.advance(by: .milliseconds(1) * count)
            }
        }
        _ = Comparison(of: operation("s"), to: operation("b"), effort, clock: clock)
        // Before the rounds, each runs three times to find out how many iterations fill a batch.
        #expect(log.text == "bbbsss" + "bssbbssbbssbbssbbssbbs")
    }

    private func operation(_ nanoseconds: Int, repeats: Int = 1) -> Operation {
        let clock = clock
        return Operation(repeats: repeats) { clock.advance(by: .nanoseconds(nanoseconds) * $0) }
    }
}

private final class Log: Sendable {
    private let entries = Mutex("")

    var text: String { entries.withLock { $0 } }

    func append(_ entry: String) { entries.withLock { $0 += entry } }
}
