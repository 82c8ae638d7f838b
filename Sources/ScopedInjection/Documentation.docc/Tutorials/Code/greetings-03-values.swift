import ScopedInjection

extension ScopeValues {
    static var greeting: ScopeValue<String> { .value("Hello", isSafeInTests: true) }
}
