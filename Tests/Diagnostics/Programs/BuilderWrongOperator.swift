import ScopedInjection

extension ScopeValues {
    static let pool = ScopeValue<Pool> { scope in
        // error: binary operator '+' cannot be applied to operands of type 'String' and 'Int'
        let path = scope.databasePath + 1
        return Pool(path)
    }
}
