import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Deferred<Pool>> {
        .lazy { reader in
            let path = try reader.databasePath
            // error: 'deferred' is unavailable: name what closes the value: onClose:; what needs no closing is Deferred { … }
            return reader.deferred { try await Pool.connect(path) }
        }
    }
}
