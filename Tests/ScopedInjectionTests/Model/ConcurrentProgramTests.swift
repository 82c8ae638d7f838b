import ScopedInjection
import Testing

// Each in a process of its own, because the global scope belongs to the whole process.
//
// `SCOPED_INJECTION_MODEL_PROGRAMS` is the number of programs, `SCOPED_INJECTION_MODEL_SEED` the first seed.
@Suite("R1, R2, R5: some moment explains every read on several threads below changing scopes")
struct ConcurrentProgramTests {
    @Test("Without aliases", .timeLimit(.minutes(60)))
    func plain() async {
        await #expect(processExitsWith: .success) {
            await SharedTree.run([[], [.policies, .decorations], [.cleanups, .closing, .decorations]])
        }
    }

    @Test("With aliases, and where other scopes become the global one", .timeLimit(.minutes(60)))
    func aliases() async {
        await #expect(processExitsWith: .success) {
            await SharedTree.run([
                [.aliases, .policies, .closing], [.global, .policies],
                [.global, .aliases, .decorations, .cleanups, .closing],
            ])
        }
    }
}

extension SharedTree {
    /// Runs programs of each kind in turn until one fails.
    fileprivate static func run(_ kinds: [Program.Features]) async {
        #if DEBUG
            let usual = 15
        #else
            let usual = 200
        #endif
        let first = number("SEED") ?? 0
        for seed in first..<first + (number("PROGRAMS") ?? usual) / 2 {
            if let failure = await run(seed: UInt64(seed), kinds[seed % kinds.count]) {
                Issue.record("\(failure)")
                return
            }
        }
    }
}
