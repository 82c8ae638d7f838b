import ScopedInjection

struct Handler {
    // error: type 'ScopeValues' has no member 'flg'
    @Injected({ $0.flg("beta") }) var isBeta: Bool
}
