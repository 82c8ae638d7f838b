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

    @Test("A part compares two gains, of each group of rounds with those around it")
    func part() throws {
        let part = Throughput.part([1.5, 1.5, 1.35, 0.9, 1.8].map(gain), of: [2, 2, 2, 1.6, 2, 2].map(gain))
        // 0.75, 0.75, 0.75, 0.5 and 0.9
        #expect(abs(try #require(part) - 0.75) < 0.001)
    }

    @Test("A group does not count where it was not measured, or what shares nothing gained less than 1.6 around it")
    func groupsThatDoNotCount() throws {
        let good = [1.5, 1.5, 1.5, 1.5, 1.5].map(gain)
        let around = [2, 2, 2, 2, 2, 2].map(gain)
        let busy = Throughput.part(
            good + [0.5, 0.5, 0.5].map(gain),
            of: around + [1.59, 2, nil].map { $0.flatMap(gain) }
        )
        #expect(abs(try #require(busy) - 0.75) < 0.001)
        let unmeasured = Throughput.part(good + [nil, nil], of: around + [2, 2].map(gain))
        #expect(abs(try #require(unmeasured) - 0.75) < 0.001)
    }

    @Test("Where fewer than five groups count, it was not measured")
    func noPart() {
        let five = Array(repeating: gain(1.5), count: 5)
        #expect(Throughput.part([], of: [gain(2)]) == nil)
        #expect(Throughput.part(five, of: [2, 2, 2, 2, 2, 1.6].map(gain)) != nil)
        #expect(Throughput.part(five, of: [2, 2, 2, 2, 2, 1.59].map(gain)) == nil)
        #expect(Throughput.part(five, of: Array(repeating: gain(1.5), count: 6)) == nil)
    }

    /// A throughput with this ratio.
    private func gain(_ ratio: Double) -> Throughput? {
        Throughput(alone: [.microseconds(Int64(ratio * 10_000))], together: [(span(0, 10), span(0, 10))])
    }

    private func span(_ start: Int, _ end: Int) -> Throughput.Span {
        Throughput.Span(start: self.start + .milliseconds(start), end: self.start + .milliseconds(end))
    }
}
