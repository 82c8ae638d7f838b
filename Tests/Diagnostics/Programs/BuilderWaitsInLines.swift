import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        // error: 'lazy' is unavailable: a builder cannot wait; let the value be a Deferred, whose closure can
        .lazy(.once(in: .request)) { reader in
            let path = try reader.databasePath
            return try await Pool.connect(path)
        }
    }
}
