import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        .lazy { reader in
            // error: type 'ScopeValues' has no member 'parent'
            print(reader.parent)
            return Pool()
        }
    }
}
