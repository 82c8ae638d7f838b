import ScopedInjection
import Testing

// In a process of its own, because the global scope belongs to the whole process.
@Suite("R2, R3: what a read gives, and which reads share an instance, does not depend on earlier reads")
struct DifferentialTests {
    @Test("A program with reads after each step ends as the same one without")
    func reads() async {
        await #expect(processExitsWith: .success) {
            let features: Program.Features = [
                .aliases, .policies, .global, .closing, .decorations, .cleanups, .cycles, .manyValues,
            ]
            #if DEBUG
                let usual = 6_000
            #else
                let usual = 100_000
            #endif
            let first = number("SEED") ?? 0
            for seed in first..<first + (number("STEPS") ?? usual) / 400 {
                let program = Program(seed: UInt64(seed), features)
                guard await Runner.dependsOnReads(program) != nil else { continue }
                let small = await program.shrunk { await Runner.dependsOnReads($0) != nil }
                Issue.record("\(await Runner.dependsOnReads(small) ?? "")\n\(small)")
                return
            }
        }
    }
}
