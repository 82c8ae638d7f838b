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

    @Test("A part compares two gains")
    func part() throws {
        let part = try #require(Throughput.part(gain(1.5), of: gain(2)))
        #expect(abs(part - 0.75) < 0.001)
    }

    @Test("Where even what shares nothing gains less than 1.6, or either was not measured, there is no part")
    func noPart() {
        #expect(Throughput.part(gain(1.5), of: gain(1.59)) == nil)
        #expect(Throughput.part(gain(1.5), of: gain(1.6)) != nil)
        #expect(Throughput.part(nil, of: gain(2)) == nil)
        #expect(Throughput.part(gain(1.5), of: nil) == nil)
    }

    /// A throughput with this ratio.
    private func gain(_ ratio: Double) -> Throughput? {
        Throughput(alone: [.microseconds(Int64(ratio * 10_000))], together: [(span(0, 10), span(0, 10))])
    }

    private func span(_ start: Int, _ end: Int) -> Throughput.Span {
        Throughput.Span(start: self.start + .milliseconds(start), end: self.start + .milliseconds(end))
    }
}
