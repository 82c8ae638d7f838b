import Testing

@testable import ScopedInjection

@Suite("R5: threads that were started one after the other")
struct LinesTests {
    /// How far apart threads lie that have stacks of the usual size, with and without a guard page.
    private static let distances: [UInt] = [0x80_1000, 0x80_0000, 0x20_1000, 0x20_0000, 0x8_1000]

    @Test("A dozen neighbours take lines of their own, wherever the first one lies", arguments: distances)
    private func neighbours(distance: UInt) {
        for first in stride(from: UInt(0x7F00_0000_0000), to: 0x7F80_0000_0000, by: 0x3_1357_9000) {
            let lines = (0..<12).map { Lines.line(of: first &+ $0 &* distance) }
            #expect(Set(lines).count == lines.count)
        }
    }
}
