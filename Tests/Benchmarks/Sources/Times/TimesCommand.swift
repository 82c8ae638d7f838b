import ArgumentParser
import Harness

/// A program of its own, so that nothing but what is measured is in it, and the allocator is the C library's.
@main
struct TimesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Times",
        abstract: "Takes times for Benchmarks, which shows them in its table."
    )

    @OptionGroup var options: Options

    func run() throws {
        let all =
            Reads().lines + References().lines + RequestCosts().lines + Scopes().lines + Waiting.lines + Seeing().lines
            + Threads().lines
        let lines = options.selected(all)
        guard !lines.isEmpty else { return }
        guard !BuildMode.isDebug else { throw ValidationError(BuildMode.complaint) }
        try Report.write(Units.lines + lines, options.effort)
    }
}
