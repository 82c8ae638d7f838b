import ScopedInjection

extension ScopeValues {
    // error: cannot convert value of type 'String' to expected argument type 'Int'
    static var limit: ScopeValue<Int> { .value("100") }
}
