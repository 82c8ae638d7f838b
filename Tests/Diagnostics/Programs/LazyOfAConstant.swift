import ScopedInjection

extension ScopeValues {
    // error: 'lazy' is unavailable: a constant is .value(…); .lazy takes a closure that builds the value
    static var limit: ScopeValue<Int> { .lazy(100) }
}
