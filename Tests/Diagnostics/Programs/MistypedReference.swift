import ScopedInjection

struct Handler {
    // The second error names it: type 'ScopeValues' has no member 'prot'.
    // error: generic parameter 'Value' could not be inferred
    @Injected(\.prot) var port
}
