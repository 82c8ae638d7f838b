import Testing

@testable import Harness

@Suite("Throughput compares the best of the rounds")
struct ThroughputTests {
    private let start = ContinuousClock.now

    @Test("It is the shortest time alone over the shortest time together, which is that of the slower thread")
    func best() {
        let throughput = Throughput(
            alone: [.milliseconds(90), .milliseconds(40)],
            together: [(span(0, 24), span(0, 25)), (span(0, 80), span(0, 20))]
        )
        #expect(throughput?.ratio == 1.6)
    }

    @Test("Rounds in which the threads took turns on one core do not count")
    func oneCore() {
        let turns = (span(0, 20), span(21, 41))
        #expect(Throughput(alone: [.milliseconds(40)], together: [turns]) == nil)
        #expect(Throughput(alone: [.milliseconds(40)], together: [turns, (span(0, 50), span(0, 50))])?.ratio == 0.8)
    }

    @Test("A part compares two gains, of each group of rounds by itself")
    func part() throws {
        let groups = [(1.5, 2.0), (1.5, 2.0), (1.2, 1.6), (0.9, 1.8), (1.8, 2.0)].map { (gain($0.0), gain($0.1)) }
        #expect(abs(try #require(Throughput.part(groups)) - 0.75) < 0.001)
    }

    @Test("Groups in which even what shares nothing gains less than 1.6, or either was not measured, do not count")
    func groupsThatDoNotCount() throws {
        let good = Array(repeating: (gain(1.5), gain(2)), count: 5)
        let bad = [(gain(1.5), gain(1.59)), (nil, gain(2)), (gain(1.5), nil), (nil, nil)]
        #expect(abs(try #require(Throughput.part(good + bad + bad)) - 0.75) < 0.001)
    }

    @Test("Where fewer than five groups count, it was not measured")
    func noPart() {
        let four = Array(repeating: (gain(1.5), gain(2)), count: 4)
        #expect(Throughput.part([]) == nil)
        #expect(Throughput.part(four) == nil)
        #expect(Throughput.part(four + Array(repeating: (gain(1.5), gain(1.5)), count: 50)) == nil)
        #expect(Throughput.part(four + [(gain(1.5), gain(1.6))]) != nil)
    }

    /// A throughput with this ratio.
    private func gain(_ ratio: Double) -> Throughput? {
        Throughput(alone: [.microseconds(Int64(ratio * 10_000))], together: [(span(0, 10), span(0, 10))])
    }

    private func span(_ start: Int, _ end: Int) -> Throughput.Span {
        Throughput.Span(start: self.start + .milliseconds(start), end: self.start + .milliseconds(end))
    }
}
