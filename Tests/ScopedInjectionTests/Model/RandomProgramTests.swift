import Foundation
import ScopedInjection
import Testing

/// A number that the environment says, by which a run is made longer.
///
/// Ten million steps: `SCOPED_INJECTION_MODEL_STEPS=10000000 swift test -c release --filter RandomProgramTests`
private func setting(_ name: String, or usual: Int) -> Int {
    ProcessInfo.processInfo.environment["SCOPED_INJECTION_MODEL_\(name)"].flatMap { Int($0) } ?? usual
}

@Suite("R1, R2, R3, R5, R11 to R14, R17: every read is what the model says, and is kept where it says", .programRoots)
struct RandomProgramTests {
    private static let length = 70
    #if DEBUG
        private static let usualSteps = 40_000
    #else
        private static let usualSteps = 300_000
    #endif

    private static var seeds: Range<UInt64> {
        let first = UInt64(setting("SEED", or: 1))
        return first..<first + UInt64(setting("STEPS", or: usualSteps) / length)
    }

    /// The first difference between a program and the model, with the shortest program that shows it.
    private static func difference(isGlobal: Bool) async -> String? {
        for seed in seeds {
            let program = Program(seed: seed, length: length, isGlobal: isGlobal)
            guard let found = await Runner.difference(in: program) else { continue }
            let shrunk = await Shrinking.shrunk(program)
            let steps = shrunk.steps.map { "  \($0)" }.joined(separator: "\n")
            let difference = await Runner.difference(in: shrunk) ?? "once only: \(found)"
            return "Seed \(seed): \(difference)\n\(steps)\nbuilders: \(shrunk.recipes)"
        }
        return nil
    }

    @Test("Random programs give what the model says, read on one thread or on several") func model() async {
        if let difference = await Self.difference(isGlobal: false) { Issue.record("\(difference)") }
    }

    @Test("Random programs below the global scope, which others replace, give what the model says")
    func global() async {
        // In a process of its own, because the tests share the global scope.
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            useProgramRoots()
            let difference = await Self.difference(isGlobal: true)
            fatalError(difference ?? "no difference")
        }
        let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(said.contains("Fatal error: no difference\n"), "\(said.prefix(4_000))")
    }

    @Test("A read that begins after a discard is given nothing from before it", arguments: 0..<20)
    func storm(seed: UInt64) async {
        var random = Seeded(seed)
        // The application has what is discarded, 2 and 6; its tenants have what is built from that and from what they set.
        var recipes = Array(repeating: Recipe(seed: 1, steps: []), count: Numbered.count)
        recipes[6].steps = [.read(2)]
        recipes[8].steps = [.read(2), .read(Numbered.required)]
        recipes[9].steps = [.read(6), .read(Numbered.required)]
        var steps: [Program.Step] = [.make(under: nil, nil, nil)]
        for tenant in 1...3 { steps += [.make(under: 0, nil, nil), .set(tenant, Numbered.required, tenant)] }
        func read() -> ValueInScope { ValueInScope(scope: random.below(4), value: [8, 9][random.below(2)]) }
        func discard() -> Program.Discard { Program.Discard(scope: 0, value: [nil, nil, 2, 6][random.below(4)]) }
        for isAtEnd in [true, false] {
            // More often than a builder runs.
            let stopped = Program.Stopped(read: read(), other: read(), value: 2, isAtEnd: isAtEnd, times: 9)
            steps += [.discardDuring(discard(), stopped), .discard(discard(), isCompared: true)]
        }
        let (reads, discards) = ((0..<300).map { _ in read() }, (0..<900).map { _ in discard() })
        steps += [.discardAmid(reads, discards), .discard(discard(), isCompared: true)]
        if let difference = await Runner.difference(in: Program(recipes: recipes, steps)) {
            Issue.record("\(difference)\n\(steps.filter { if case .discardAmid = $0 { false } else { true } })")
        }
    }

    /// But for what stays, and what is built from that: without roles there is none.
    @Test("A read gives the same whether or not something was read before") func order() async {
        for seed in Self.seeds {
            var program = Program(seed: seed, length: Self.length, hasRoles: false)
            // Whether one is refused depends on what is kept.
            program.steps.removeAll { if case .update = $0 { true } else { false } }
            let read = await Runner.lastRead(of: program, isRead: true)
            let unread = await Runner.lastRead(of: program, isRead: false)
            #expect(read == unread, "seed \(seed)")
            if read != unread { return }
        }
    }
}
