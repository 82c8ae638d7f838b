import ScopedInjection

/// An object with one reference.
final class Leaf: Sendable {
    let port: Injected<Int>
    init(scope: EnvironmentScope? = nil) { port = Injected(\.port, scope: scope) }
}

enum LeafKey: ScopeKey { static func makeValue(in scope: EnvironmentScope) -> Leaf { Leaf() } }
