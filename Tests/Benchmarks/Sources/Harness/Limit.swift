/// What a measured value may be, and what it should be.
public enum Limit: Codable, Sendable {
    /// No more than this.
    case atMost(Double, aim: Double? = nil)
    /// No less than this.
    case atLeast(Double, aim: Double? = nil)

    func allows(_ value: Double) -> Bool {
        switch self {
        case .atMost(let limit, _): value <= limit
        case .atLeast(let limit, _): value >= limit
        }
    }

    /// Whether the value is as good as it should be; false where there is no aim.
    func isAimMet(by value: Double) -> Bool {
        switch self {
        case .atMost(_, let aim?): value <= aim
        case .atLeast(_, let aim?): value >= aim
        case .atMost, .atLeast: false
        }
    }
}
