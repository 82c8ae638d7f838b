import ScopedInjection

struct Handler {
    // error: x
    @Injected(ScopeValues.port) var port
}
