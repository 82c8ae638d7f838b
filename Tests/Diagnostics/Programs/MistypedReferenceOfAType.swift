import ScopedInjection

struct Handler {
    // error: type 'ScopeValues' has no member 'prot'
    @Injected(\.prot) var port: Int
}
