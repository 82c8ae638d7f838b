import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        // error: cannot convert value of type 'String' to closure result type 'Pool'
        .lazy { try $0.databasePath }
    }
}
