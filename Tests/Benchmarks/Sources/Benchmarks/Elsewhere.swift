import Harness

/// What a request pays for what is used elsewhere in its process.
enum Elsewhere {
    static let lines =
        uses.map { name, use in
            line("A request that stores 5 objects, where there is", name, use, "storing", limit)
        }
        + uses.map { name, use in
            line("A request that builds 5 services, where there is", name, use, "building", limit)
        }

    private static let uses = [
        ("a policy in another tree", "policy"),
        ("an observer in another tree", "observer"), ("a reference bound to another tree", "reference"),
        ("a reference bound to its parent", "parentsReference"),
    ]

    /// Nothing, but for how exactly two processes can be compared.
    private static let limit = Limit.atMost(1.1, aim: 1)

    private static func line(_ section: String, _ name: String, _ use: String, _ request: String, _ limit: Limit)
        -> Line
    {
        Line(.times, section, name, .times, limit) { _ in Line.Measurement(try ratio(of: use, request)) }
    }

    /// Processes that make use of it and ones that do not, by turns.
    private static func ratio(of use: String, _ request: String) throws -> Double {
        guard !BuildMode.isDebug else { throw Program.Failure(description: BuildMode.complaint) }
        let program = Program(name: "Elsewhere")
        let ratios = try (0..<15).map { turn in
            if turn.isMultiple(of: 2) {
                let without = try program.number("nothing", request)
                return try program.number(use, request) / without
            }
            let with = try program.number(use, request)
            return with / (try program.number("nothing", request))
        }
        return median(ratios)
    }
}
