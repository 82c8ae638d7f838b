import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Deferred<Pool>> {
        .lazy { reader in
            let path = try reader.databasePath
            // error: type 'Pool' has no member 'conect'
            return Deferred { try await Pool.conect(path) }
        }
    }
}
