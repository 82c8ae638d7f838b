import ScopedInjection

extension ScopeValues {
    // error: type 'Draft' does not conform to the 'Sendable' protocol
    static var draft: ScopeValue<Draft> { .lazy { _ in Draft() } }
}
