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

    @Test("A part compares two gains, of each group of rounds with those around it; the gain alone is the median one")
    func part() throws {
        let groups = Throughput.Groups([1.5, 1.5, 1.35, 0.9, 1.8].map(gain), beside: [2, 2, 2, 1.6, 2, 2].map(gain))
        // 0.75, 0.75, 0.75, 0.5 and 0.9
        #expect(abs(try #require(groups).part - 0.75) < 0.001)
        #expect(try #require(groups).gain == 1.5)
    }

    @Test("A group does not count where it was not measured, or what shares nothing gained less than 1.6 around it")
    func groupsThatDoNotCount() throws {
        let good = [1.5, 1.5, 1.5, 1.5, 1.5].map(gain)
        let around = [2, 2, 2, 2, 2, 2].map(gain)
        let busy = Throughput.Groups(
            good + [0.5, 0.5, 0.5].map(gain),
            beside: around + [1.59, 2, nil].map { $0.flatMap(gain) }
        )
        #expect(abs(try #require(busy).part - 0.75) < 0.001)
        let unmeasured = Throughput.Groups(good + [nil, nil], beside: around + [2, 2].map(gain))
        #expect(abs(try #require(unmeasured).part - 0.75) < 0.001)
    }

    @Test("Where fewer than five groups count, it was not measured")
    func noPart() {
        let five = Array(repeating: gain(1.5), count: 5)
        #expect(Throughput.Groups([], beside: [gain(2)]) == nil)
        #expect(Throughput.Groups(five, beside: [2, 2, 2, 2, 2, 1.6].map(gain)) != nil)
        #expect(Throughput.Groups(five, beside: [2, 2, 2, 2, 2, 1.59].map(gain)) == nil)
        #expect(Throughput.Groups(five, beside: Array(repeating: gain(1.5), count: 6)) == nil)
    }

    /// A throughput with this ratio.
    private func gain(_ ratio: Double) -> Throughput? {
        Throughput(alone: [.microseconds(Int64(ratio * 10_000))], together: [(span(0, 10), span(0, 10))])
    }

    private func span(_ start: Int, _ end: Int) -> Throughput.Span {
        Throughput.Span(start: self.start + .milliseconds(start), end: self.start + .milliseconds(end))
    }
}
