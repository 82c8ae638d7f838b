import Foundation
import ScopedInjection
import Testing

/// A number that the environment says, by which a run is made longer.
///
/// Ten million steps: `SCOPED_INJECTION_MODEL_STEPS=10000000 swift test -c release --filter RandomProgramTests`
private func setting(_ name: String, or usual: Int) -> Int {
    ProcessInfo.processInfo.environment["SCOPED_INJECTION_MODEL_\(name)"].flatMap { Int($0) } ?? usual
}

@Suite("R1, R2, R3, R12, R13, R14: every read is what the model says, and is kept where it says")
struct RandomProgramTests {
    private static let length = 70
    #if DEBUG
        private static let usualSteps = 60_000
    #else
        private static let usualSteps = 500_000
    #endif

    private var seeds: Range<UInt64> {
        let first = UInt64(setting("SEED", or: 1))
        return first..<first + UInt64(setting("STEPS", or: Self.usualSteps) / Self.length)
    }

    @Test("Random programs on one thread give what the model says")
    func model() {
        for seed in seeds {
            let program = Program(seed: seed, length: Self.length)
            guard Runner.difference(in: program) != nil else { continue }
            let shrunk = Shrinking.shrunk(program)
            let steps = shrunk.steps.map { "  \($0)" }.joined(separator: "\n")
            let difference = Runner.difference(in: shrunk) ?? "no difference after shrinking"
            Issue.record("Seed \(seed): \(difference)\n\(steps)\nbuilders: \(shrunk.recipes)")
            return
        }
    }

    @Test("A read gives the same whether or not something was read before")
    func order() {
        for seed in seeds {
            let program = Program(seed: seed, length: Self.length)
            let (read, unread) = (
                Runner.lastRead(of: program, isRead: true), Runner.lastRead(of: program, isRead: false)
            )
            #expect(read == unread, "seed \(seed)")
            if read != unread { return }
        }
    }
}
