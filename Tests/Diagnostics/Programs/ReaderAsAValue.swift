import ScopedInjection

extension ScopeValues {
    // error: conformance of 'ScopeReader' to 'Sendable' is unavailable
    static var reader: ScopeValue<ScopeReader> { .lazy { $0 } }
}
