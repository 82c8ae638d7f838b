import Testing

@testable import Harness

@Suite("What a neighbour costs is told from the groups in which it had a core of its own")
struct NeighbourTests {
    @Test("It is the median of the times beside the subject against alone")
    func ratio() {
        let groups = [(10.0, 10.0, 11.0), (20, 20, 30), (10, 10, 12), (10, 10, 20), (10, 11, 12)]
        #expect(Neighbour(groups)?.ratio == 1.2)
    }

    @Test("A group does not count in which the plain neighbour cost more than 15 %")
    func groupsThatDoNotCount() {
        let groups = Array(repeating: (10.0, 11.5, 12.0), count: 5) + [(10, 11.6, 90), (10, 20, 90)]
        #expect(Neighbour(groups)?.ratio == 1.2)
    }

    @Test("Where fewer than five groups count, it was not measured")
    func tooFew() {
        #expect(Neighbour(Array(repeating: (10.0, 10.0, 12.0), count: 4) + [(10, 20, 12)]) == nil)
    }
}
