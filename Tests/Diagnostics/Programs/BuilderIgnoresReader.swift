import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        // error: contextual type for closure argument list expects 1 argument, which cannot be implicitly ignored
        .lazy { Pool() }
    }
}
