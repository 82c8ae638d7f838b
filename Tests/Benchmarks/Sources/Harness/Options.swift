public import ArgumentParser

/// What a person may say about a run.
public struct Options: ParsableArguments {
    @Flag(help: "Measure fewer rounds: a first impression.")
    private var quick = false

    @Option(help: "Only these lines: times, threads, counts, build or server. May be given several times.")
    private var only: [Line.Kind] = []

    @Option(help: "Only lines that have this text in their heading or name.")
    private var filter: String?

    /// Creates options that have to be parsed.
    public init() {}

    /// How much time the run may take.
    public var effort: Effort { quick ? .quick : .full }

    /// The lines that are asked for.
    public func selected(_ lines: [Line]) -> [Line] { lines.filter { $0.isSelected(only, filter) } }
}

extension Line.Kind: ExpressibleByArgument {}
