import ScopedInjection

final class Service: Sendable {
    // error: generic parameter 'Value' could not be inferred
    // error: type 'ScopeValues' has no member 'prot'
    let port = Injected(\.prot)
}
