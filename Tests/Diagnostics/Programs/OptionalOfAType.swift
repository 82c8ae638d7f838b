import ScopedInjection

extension ScopeValues {
    // error: 'optional()' is unavailable: a type like Int? can be .optional(); what has to be set is .required()
    static var limit: ScopeValue<Int> { .optional() }
}
