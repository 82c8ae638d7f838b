import ScopedInjection

extension ScopeValues {
    // error: 'optional()' is unavailable: an .optional() value has an optional type, like Int?; .required() has to be set
    static var limit: ScopeValue<Int> { .optional() }
}
