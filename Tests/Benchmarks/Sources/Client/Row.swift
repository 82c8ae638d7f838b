public import ScopedInjection

/// Values in a row, each built from the one before; the first one from a value of the request.
public enum Row {
    /// The values, first to last.
    public static let values: [ScopeValue<Service>] = (1...33).reduce(into: []) { row, number in
        if let before = row.last {
            row.append(.lazy(id: number) { try Service(number: $0[before].number &+ 1) })
        } else {
            row.append(.lazy(id: number) { try Service(number: $0.requestID) })
        }
    }
}
