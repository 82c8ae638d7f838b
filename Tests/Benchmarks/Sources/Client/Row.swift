public import ScopedInjection

/// Values in a row, each built from the one before; the first one from a value of the request.
public enum Row {
    /// The values, first to last.
    public static let values: [ScopeValue<Service>] = (1...33).reduce(into: []) { row, number in
        row.append(row.last.map { next(number, after: $0) } ?? first(number))
    }

    private static func first(_ number: Int) -> ScopeValue<Service> {
        .lazy(id: number) { try Service(number: $0.requestID) }
    }

    private static func next(_ number: Int, after before: ScopeValue<Service>) -> ScopeValue<Service> {
        .lazy(id: number) { try Service(number: $0[before].number &+ 1) }
    }
}
