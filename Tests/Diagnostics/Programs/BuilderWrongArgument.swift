import ScopedInjection

extension ScopeValues {
    static var pool: ScopeValue<Pool> {
        // error: cannot convert value of type 'Int' to expected argument type 'String'
        .lazy(.once(in: .request)) { try Pool($0.port) }
    }
}
