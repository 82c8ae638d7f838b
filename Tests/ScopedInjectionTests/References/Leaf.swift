import ScopedInjection

/// An object with one reference.
final class Leaf: Sendable {
    let port: Injected<Int>
    init(scope: EnvironmentScope? = nil) { port = Injected(\.port, scope: scope) }
}

extension ScopeValues { static var leaf: ScopeValue<Leaf> { .lazy { _ in Leaf() } } }
