import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        // error: type 'ScopeValues' has no member 'databasePth'
        .lazy { try Pool($0.databasePth) }
    }
}
