import ScopedInjection

// Values of one type, for suites about aliases and decorations.

extension ScopeValues {
    static var main: ScopeValue<Int> { .value(100) }
    static var replica: ScopeValue<Int> { .value(200) }
    static var backup: ScopeValue<Int> { .value(300) }
}
