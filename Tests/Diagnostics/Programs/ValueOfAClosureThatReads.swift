import ScopedInjection

extension ScopeValues {
    // error: closure passed to parameter of type 'Pool' that does not accept a closure
    static var pool: ScopeValue<Pool> { .value({ try Pool($0.databasePath) }) }
}
