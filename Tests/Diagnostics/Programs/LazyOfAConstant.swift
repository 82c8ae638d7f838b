import ScopedInjection

extension ScopeValues {
    // error: missing argument for parameter #9 in call
    static var limit: ScopeValue<Int> { .lazy(100) }
}
