import Harness

/// What a request pays for what is used elsewhere in its process.
enum Elsewhere {
    static let lines = [
        line("an alias", "alias", limit),
        line("a policy", "policy", limit),
        line("an observer", "observer", limit),
        line("a bound reference", "reference", limit),
        Line(
            .times,
            "A request that stores objects, against the same where nothing is bound",
            "5 objects, references are bound to its parent",
            .times,
            .atMost(1.2, aim: 1)
        ) { _ in
            Line.Measurement(try ratio(of: "parentsReference"))
        },
    ]

    /// Nothing, but for how exactly two processes can be compared.
    private static let limit = Limit.atMost(1.1, aim: 1)

    private static func line(_ name: String, _ use: String, _ limit: Limit) -> Line {
        Line(.times, "A request, where another tree of scopes has", name, .times, limit) { _ in
            Line.Measurement(try ratio(of: use))
        }
    }

    /// Processes that make use of it and ones that do not, by turns.
    private static func ratio(of use: String) throws -> Double {
        guard !BuildMode.isDebug else { throw Program.Failure(description: BuildMode.complaint) }
        let program = Program(name: "Elsewhere")
        let ratios = try (0..<7).map { turn in
            if turn.isMultiple(of: 2) {
                let without = try program.number("nothing")
                return try program.number(use) / without
            }
            let with = try program.number(use)
            return with / (try program.number("nothing"))
        }
        return median(ratios)
    }
}
