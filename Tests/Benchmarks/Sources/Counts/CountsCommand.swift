import ArgumentParser
import Harness

/// A program of its own, because it replaces the allocator's functions: where times are taken, that would make whatever
/// allocates look slower.
@main
struct CountsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Counts",
        abstract: "Counts allocations and bytes for Benchmarks, which shows them in its table."
    )

    @OptionGroup var options: Options

    func run() throws {
        try Report.write(options.selected(CountLines(effort: options.effort).all), options.effort)
    }
}
