import ScopedInjection

final class Service: Sendable {
    // error: type 'ScopeValues' has no member 'prot'
    let port = Injected(\.prot)
}
