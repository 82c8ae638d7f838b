import ScopedInjection

struct Handler {
    // error: generic parameter 'Value' could not be inferred
    // error: type 'ScopeValues' has no member 'prot'
    @Injected(\.prot) var port
}
