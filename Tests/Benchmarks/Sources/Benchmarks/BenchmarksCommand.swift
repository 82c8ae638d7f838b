import ArgumentParser
import Harness

@main
struct BenchmarksCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Benchmarks",
        abstract: "Measures what the library costs, and fails where it is more than it may be."
    )

    @OptionGroup var options: Options

    func run() throws {
        var table = Table()
        var outcomes: [Outcome] = []
        func show(_ outcome: Outcome) {
            print(table.text(for: outcome))
            outcomes.append(outcome)
        }
        for name in ["Times", "Counts"] { try Program(name: name).run(show) }
        for line in options.selected(Elsewhere.lines + CoreBuild.lines + ServerBenchmark.lines) {
            show(try line.run(options.effort))
        }
        guard !outcomes.isEmpty else { throw ValidationError("There is no such line.") }
        print("\n" + summary(of: outcomes))
        if isAnyOver(outcomes) { throw ExitCode.failure }
    }
}
