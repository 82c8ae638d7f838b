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

    private func span(_ start: Int, _ end: Int) -> Throughput.Span {
        Throughput.Span(start: self.start + .milliseconds(start), end: self.start + .milliseconds(end))
    }
}
