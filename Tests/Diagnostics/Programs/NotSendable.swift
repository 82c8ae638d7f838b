import ScopedInjection

extension ScopeValues {
    // error: type 'Draft' does not conform to the 'Sendable' protocol
    static let draft = ScopeValue(Draft())
}
