import ScopedInjection

struct Handler {
    // error: type 'ScopeValues' has no member 'prot'
    @Injected({ $0.prot }) var port: Int
}
