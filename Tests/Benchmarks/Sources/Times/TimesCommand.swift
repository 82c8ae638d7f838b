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

    private static var isDebugBuild: Bool {
        #if DEBUG
            true
        #else
            false
        #endif
    }

    func run() throws {
        let all = Reads().lines + References().lines + Scopes().lines + Seeing().lines + Threads().lines
        let lines = options.selected(all)
        guard !lines.isEmpty else { return }
        if Self.isDebugBuild {
            throw ValidationError("Times mean nothing in a debug build: run with -c release, or with --only counts.")
        }
        try Report.write(Units.lines + lines, options.effort)
    }
}
