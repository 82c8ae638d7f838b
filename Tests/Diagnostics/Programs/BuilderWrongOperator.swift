import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        .lazy { reader in
            // error: binary operator '+' cannot be applied to operands of type 'String' and 'Int'
            let path = try reader.databasePath + 1
            return Pool(path)
        }
    }
}
