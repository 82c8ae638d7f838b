public import ArgumentParser
public import Harness

@main
struct BenchmarksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Measures what the library costs, and fails where it is more than it may be."
    )

    @Flag(help: "Measure fewer rounds: a first impression.")
    var quick = false

    @Option(help: "Only these lines: times, threads, counts or build. May be given several times.")
    var only: [Line.Kind] = []

    @Option(help: "Only lines that have this text in their heading or name.")
    var filter: String?

    private static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    func run() throws {
        let effort = quick ? Effort.quick : .full
        let lines = try selectedLines(effort)
        if lines.contains(where: \.isTiming) { try printUnits(effort) }
        var table = Table(for: lines)
        var outcomes: [Outcome] = []
        for line in lines {
            let outcome = try line.run(effort)
            print(table.text(for: outcome))
            outcomes.append(outcome)
        }
        print("\n" + summary(of: outcomes))
        if isAnyOver(outcomes) { throw ExitCode.failure }
    }

    private func selectedLines(_ effort: Effort) throws -> [Line] {
        let all = Reads().lines + References().lines + Scopes(effort: effort).lines + Threads().lines + CoreBuild.lines
        let selected = all.filter { $0.isSelected(only, filter) }
        guard !selected.isEmpty else { throw ValidationError("There is no such line.") }
        return Line.Kind.allCases.flatMap { kind in selected.filter { $0.kind == kind } }
    }

    private func printUnits(_ effort: Effort) throws {
        if Self.isDebugBuild {
            throw ValidationError("Times mean nothing in a debug build: run with -c release, or with --only counts.")
        }
        let units = Comparison(of: Units.binding, to: Units.read, effort)
        print("T = \(decimal(units.baselineNanoseconds, digits: 1)) ns: a read of a bound @TaskLocal of a class type")
        print("P = \(decimal(units.nanoseconds, digits: 1)) ns: binding it, a read, and unbinding it")
    }
}

extension Line.Kind: ExpressibleByArgument {}
