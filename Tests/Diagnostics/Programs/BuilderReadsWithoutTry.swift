import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        // error: subscript access can throw, but it is not marked with 'try' and the error is not handled
        .lazy { Pool($0.databasePath) }
    }
}
