import ScopedInjection

final class Service: Sendable {
    // The second error names it: type 'ScopeValues' has no member 'prot'.
    // error: generic parameter 'Value' could not be inferred
    let port = Injected(\.prot)
}
