import ScopedInjection

struct Handler {
    // An overload that says what to write spoils the messages of mistyped references.
    // error: no exact matches in call to initializer
    @Injected(ScopeValues.port) var port
}
