/// What was measured for a line, and what else the table says of it; one program can give it to another.
public struct Outcome: Codable, Sendable {
    let section: String
    let name: String
    let unit: Line.Unit
    let limit: Limit?
    let measurement: Line.Measurement?

    /// Whether the line has a limit that was not kept.
    public var isOver: Bool {
        guard let limit, let measurement else { return false }
        return !limit.allows(measurement.value)
    }

    /// Whether what was measured is as good as it should be; false where there is no aim.
    public var isAimMet: Bool {
        guard let limit, let measurement else { return false }
        return limit.isAimMet(by: measurement.value)
    }
}

/// Whether a run with these outcomes has failed.
public func isAnyOver(_ outcomes: [Outcome]) -> Bool { outcomes.contains(where: \.isOver) }
