internal import Foundation

/// Writes outcomes as lines of text with columns.
public struct Table {
    private let nameWidth: Int
    private var section: String?

    /// Creates a table that has room for names of that many letters.
    public init(nameWidth: Int = 66) { self.nameWidth = nameWidth }

    /// The text for one outcome, under a heading where a section begins.
    public mutating func text(for outcome: Outcome) -> String {
        let measured = outcome.measurement.map { quantity($0.value, outcome.unit) } ?? "not measured"
        let nanoseconds = outcome.measurement?.nanoseconds.map { "\(decimal($0, digits: 1)) ns" } ?? ""
        var row = left("  " + outcome.name, nameWidth + 2) + right(measured, 18)
        if outcome.measurement?.nanoseconds != nil || outcome.limit != nil { row += right(nanoseconds, 14) }
        if let limit = outcome.limit {
            row += right(text(for: limit, outcome.unit), 19) + left(aim(of: limit), 12)
            if outcome.measurement != nil { row += verdict(on: outcome) }
        }
        // What stands behind the last column is no part of the line.
        while row.hasSuffix(" ") { row.removeLast() }
        defer { section = outcome.section }
        return (section == outcome.section ? "" : "\n\(outcome.section)\n") + row
    }

    private func text(for limit: Limit, _ unit: Line.Unit) -> String {
        switch limit {
        case .atMost(let value, _): "≤ \(trimmed(value)) \(unit.rawValue)"
        case .atLeast(let value, _): "≥ \(trimmed(value)) \(unit.rawValue)"
        }
    }

    private func aim(of limit: Limit) -> String {
        switch limit {
        case .atMost(_, let aim?), .atLeast(_, let aim?): "  aim \(trimmed(aim))"
        case .atMost, .atLeast: ""
        }
    }

    private func verdict(on outcome: Outcome) -> String {
        if outcome.isOver { return "  OVER" }
        return outcome.isAimMet ? "  ok, as aimed" : "  ok"
    }

    private func quantity(_ value: Double, _ unit: Line.Unit) -> String {
        let digits =
            switch unit {
            case .bytes: value == value.rounded() ? 0 : 1
            case .allocations: value == value.rounded() ? 0 : 2
            case .seconds: value < 1 ? 3 : 1
            case .reads, .bindings, .times: 2
            }
        return decimal(value, digits: digits) + " " + unit.rawValue
    }
}

/// One line of text about all outcomes.
public func summary(of outcomes: [Outcome]) -> String {
    let limited = outcomes.filter { $0.limit != nil && $0.measurement != nil }
    return "\(outcomes.count) lines, \(limited.count) with a limit, \(outcomes.count(where: \.isOver)) over it"
}

/// A number with a fixed count of digits after the point.
public func decimal(_ value: Double, digits: Int) -> String { String(format: "%.\(digits)f", value) }

private func left(_ text: String, _ width: Int) -> String { text + spaces(width - text.count) }

private func right(_ text: String, _ width: Int) -> String { spaces(width - text.count) + text }

private func spaces(_ count: Int) -> String { String(repeating: " ", count: max(0, count)) }

private func trimmed(_ limit: Double) -> String { limit == limit.rounded() ? "\(Int(limit))" : "\(limit)" }
