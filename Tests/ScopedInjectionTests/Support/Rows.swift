import ScopedInjection
import Synchronization

private let rows = Atomic(0)

/// Values of which each is built from the one before, and the first one is 0 until it is set; others at each call.
///
/// - Parameter noteBuild: Is called by each builder with the number of its value.
func makeRow(_ count: Int, noteBuild: @escaping @Sendable (Int) -> Void = { _ in }) -> [ScopeValue<Int>] {
    let row = rows.wrappingAdd(1, ordering: .relaxed).newValue
    var values: [ScopeValue<Int>] = [.value(0, id: [row, 0])]
    for number in 1..<count {
        let before = values[number - 1]
        values.append(
            .lazy(id: [row, number]) { reader in
                noteBuild(number)
                return try reader[before] + 1
            }
        )
    }
    return values
}
