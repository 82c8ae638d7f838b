import ScopedInjection

struct Handler {
    // error: cannot convert value of type 'KeyPath<ScopeValues.Type, ScopeValue<Int>>' to expected argument type 'KeyPath<ScopeValues.Type, ScopeValue<String>>'
    @Injected(\.port) var port: String
}
