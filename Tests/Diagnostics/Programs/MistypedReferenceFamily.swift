import ScopedInjection

struct Handler {
    // error: generic parameter 'Value' could not be inferred
    // error: type 'ScopeValues' has no member 'flg'
    @Injected({ $0.flg("beta") }) var isBeta
}
