import ScopedInjection

extension ScopeValues {
    // error: computed property must have an explicit type
    static var limit { .value(100) }
}
