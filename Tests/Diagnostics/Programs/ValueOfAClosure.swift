import ScopedInjection

extension ScopeValues {
    // error: trailing closure passed to parameter of type 'Pool' that does not accept a closure
    static var pool: ScopeValue<Pool> { .value { _ in Pool() } }
}
