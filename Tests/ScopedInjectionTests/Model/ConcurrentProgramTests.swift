import Foundation
import ScopedInjection
import Synchronization
import Testing

@Suite("R1, R2, R5: reads on several threads below changing scopes")
struct ConcurrentProgramTests {
    /// `SCOPED_INJECTION_CONCURRENT_PROGRAMS` is the number of programs, `SCOPED_INJECTION_CONCURRENT_SEED` the first
    /// seed.
    private static let seeds: Range<UInt64> = {
        func number(_ name: String) -> UInt64? { ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) } }
        #if DEBUG
            let usual: UInt64 = 20
        #else
            let usual: UInt64 = 400
        #endif
        let first = number("SCOPED_INJECTION_CONCURRENT_SEED") ?? 0
        return first..<first + (number("SCOPED_INJECTION_CONCURRENT_PROGRAMS") ?? usual)
    }()

    @Test("Some order of the writes explains every read, and nothing is left over", .timeLimit(.minutes(30)))
    func explained() async {
        let failure = await Self.run([[], [.aliases], [.inheriting, .capturing], [.aliases, .inheriting]])
        #expect(failure == nil)
    }

    // Each in a process of its own, because the global scope belongs to the whole process.
    @Test("The same where other scopes become the global one", .timeLimit(.minutes(30)))
    func explainedInWholeProcess() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let failure = await ConcurrentProgramTests.run([[.global], [.global, .aliases, .inheriting, .capturing]])
            if let failure { FileHandle.standardError.write(Data(failure.utf8)) }
        }
        let failure = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(failure.isEmpty, "\(failure)")
    }

    /// - Returns: What is wrong with the first program that fails.
    private static func run(_ kinds: [SharedTree.Features]) async -> String? {
        for seed in seeds {
            let features = kinds[Int(seed) % kinds.count].union([.moves, .closing, .policies])
            let bench: Workbench
            do {
                // Some without moves, so that kept values stay valid for longer.
                let features = seed / 4 % 4 == 0 ? features.subtracting(.moves) : features
                let tree = SharedTree(seed: seed, length: 60, features)
                bench = tree.bench
                let box = Box<SharedTree?>(tree)
                await onThreads(SharedTree.threadCount + 1) { thread in
                    guard let tree = box.value else { return }
                    Workbench.$current.withValue(tree.bench) {
                        if thread == SharedTree.threadCount { tree.write() } else { tree.read(thread: thread) }
                    }
                }
                if tree.failures.value.isEmpty { Workbench.$current.withValue(tree.bench) { tree.checkAtRest() } }
                box.value = nil
                if features.contains(.global) { EnvironmentScope.global = .empty("global", parent: nil) }
                guard tree.failures.value.isEmpty else { return tree.failures.value.joined(separator: "\n") }
            }
            // The task that closed a scope releases it a little later.
            func leftOver() -> (values: Int, builders: Int) {
                (bench.nodes.load(ordering: .relaxed), bench.providers.load(ordering: .relaxed))
            }
            for _ in 0..<1_000_000 where leftOver() != (0, 0) { await Task.yield() }
            guard leftOver() == (0, 0) else { return "seed \(seed): left over: \(leftOver())" }
        }
        return nil
    }
}
