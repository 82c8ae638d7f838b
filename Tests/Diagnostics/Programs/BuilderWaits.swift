import ScopedInjection

extension ScopeValues {
    // error: 'lazy' is unavailable: a builder cannot wait; let the value be a Deferred, whose closure can
    static var pool: ScopeValue<Pool> { .lazy { try await Pool.connect($0.databasePath) } }
}
