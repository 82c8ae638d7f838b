import ScopedInjection

extension Runner {
    /// The first read that gives something else at the end of a program if there were reads before; nil if none does.
    static func dependsOnReads(_ program: Program) async -> String? {
        let (with, without) = (
            await reads(after: program, hasReads: true), await reads(after: program, hasReads: false)
        )
        for (one, other) in zip(with, without) where one != other {
            return "with reads before, \(one.text); without, \(other.text)"
        }
        return with.count == without.count ? nil : "one of the programs has failed"
    }

    /// What a read gave.
    private struct Outcome: Equatable {
        let value: Int
        let scope: Int
        let number: Result<UInt64, Evaluation.Failure>
        /// The number of the first read that gave the same instance.
        let first: Int?
        /// Whether the scope itself holds the instance.
        let isLocal: Bool

        var text: String {
            let what = number.failure.map { "the error \($0.code)" } ?? "\((try? number.get()) ?? 0)"
            let shared = first.map { ", as read \($0)" } ?? ""
            return "value \(value) in scope \(scope) gives \(what)\(shared)\(isLocal ? ", held there" : "")"
        }
    }

    private static func reads(after program: Program, hasReads: Bool) async -> [Outcome] {
        let bench = Workbench(program.values)
        return await Workbench.$current.withValue(bench) {
            var runner = Runner(program, bench)
            defer { if program.usesGlobal { EnvironmentScope.global = .empty("global", parent: nil) } }
            for step in program.steps {
                do throws(Mismatch) { _ = try await runner.perform(step) } catch { return [] }
                if !hasReads { continue }
                for (_, scope) in runner.scopes.sorted(by: { $0.key < $1.key }) {
                    for _ in 0..<6 {
                        _ = try? scope.value(for: bench.declared[runner.random.below(bench.declared.count)])
                    }
                }
            }
            return runner.readAll()
        }
    }

    /// Reads everything, in an order that depends on the program only.
    private func readAll() -> [Outcome] {
        var random = Seeded(program.seed)
        var firsts: [UInt64: Int] = [:]
        var outcomes: [Outcome] = []
        for (number, scope) in scopes.sorted(by: { $0.key < $1.key }).shuffled(using: &random) {
            for value in bench.declared.indices.shuffled(using: &random) {
                let read = Result { () throws(ScopeError) in try scope.value(for: bench.declared[value]) }
                let node = (try? read.get())?.node
                let isKept = bench.values[value].kind.lifetime != .transient
                outcomes.append(
                    Outcome(
                        value: value,
                        scope: number,
                        number: read.map(\.number).mapError { Evaluation.Failure(code: $0.code) },
                        first: node.flatMap { isKept ? firsts[$0.id] : nil },
                        isLocal: scope.localValue(for: bench.declared[value]) != nil
                    )
                )
                if let node, firsts[node.id] == nil { firsts[node.id] = outcomes.count }
            }
        }
        return outcomes
    }
}
