import Foundation
import ScopedInjection
import Testing

private func setting(_ name: String, or usual: Int) -> Int {
    ProcessInfo.processInfo.environment["SCOPED_INJECTION_ENDING_\(name)"].flatMap { Int($0) } ?? usual
}

@Suite("R11: in random programs each cleanup runs once, after those of users, and nothing else waits", .programRoots)
struct RandomEndingTests {
    private static let seeds: Range<UInt64> = {
        let first = UInt64(setting("SEED", or: 1))
        return first..<first + UInt64(setting("PROGRAMS", or: 300))
    }()

    private static let limit = Duration.seconds(setting("LIMIT", or: 600))

    @Test("Programs of one task", .timeLimit(.minutes(30))) func alone() async { await Self.run(tasks: 1) }

    @Test("Programs of several tasks at once", .timeLimit(.minutes(30)))
    func together() async { await Self.run(tasks: 4) }

    private static func run(tasks: Int) async {
        for seed in seeds {
            let program = EndingProgram(seed: seed, length: 40, tasks: tasks)
            guard let found = await EndingRunner.failure(in: program, limit: limit) else { continue }
            let (shrunk, last) = await shrunk(program, found)
            let steps = shrunk.steps.map { "  \($0)" }.joined(separator: "\n")
            Issue.record("Seed \(seed): \(last.text)\n\(steps)\nbuilders: \(shrunk.builders)\n\(last.log)")
            return
        }
    }

    /// Leaves out one part after the other, as long as something is wrong.
    private static func shrunk(_ program: EndingProgram, _ found: (text: String, log: String)) async
        -> (EndingProgram, (text: String, log: String))
    {
        var (program, last) = (program, found)
        func attempt(_ shorter: EndingProgram) async {
            if let failure = await EndingRunner.failure(in: shorter, limit: min(limit, .seconds(2))) {
                (program, last) = (shorter, failure)
            }
        }
        for index in program.steps.indices.reversed() {
            var shorter = program
            shorter.steps.remove(at: index)
            await attempt(shorter)
        }
        for value in program.builders.indices {
            for index in program.builders[value].reads.indices.reversed() {
                var shorter = program
                shorter.builders[value].reads.remove(at: index)
                await attempt(shorter)
            }
            for index in program.builders[value].late.indices.reversed() {
                var shorter = program
                shorter.builders[value].late.remove(at: index)
                await attempt(shorter)
            }
        }
        return (program, last)
    }
}
