import ScopedInjection

extension ScopeValues {
    // With the type, `ScopeValue<Pool> { … }`, it is reported in the body.
    // error: cannot infer type of closure parameter 'scope' without a type annotation
    static let pool = ScopeValue { scope in Pool(scope.port) }
}
