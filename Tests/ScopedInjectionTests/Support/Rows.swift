import ScopedInjection

/// Values of which each is built from the one before, and the first one is 0 until it is set.
///
/// - Parameter noteBuild: Is called by each builder with the number of its value.
func makeRow(_ count: Int, noteBuild: @escaping @Sendable (Int) -> Void = { _ in }) -> [ScopeValue<Int>] {
    var values = [ScopeValue(0, name: "value 0")]
    for number in 1..<count {
        let before = values[number - 1]
        values.append(
            ScopeValue(name: "value \(number)") { scope in
                noteBuild(number)
                return scope[before] + 1
            }
        )
    }
    return values
}
