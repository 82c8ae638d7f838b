import ScopedInjection
import Synchronization

/// What the keys of a program's scopes are built like, and how many of its objects are alive.
final class Workbench: Sendable {
    /// The program that this thread or task works on.
    ///
    /// Builders ask for it. It stays the same for as long as the scopes live, so it is no input.
    @TaskLocal static var current: Workbench?

    let keys: [Program.Key]
    let nodes = Atomic(0)
    let providers = Atomic(0)

    init(keys: [Program.Key]) { self.keys = keys }
}

/// A value of a program's scopes; each building makes another one.
final class Node: Sendable {
    let value: UInt64
    private let bench: Workbench

    init(_ value: UInt64, _ bench: Workbench) {
        self.value = value
        self.bench = bench
        bench.nodes.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { bench.nodes.wrappingSubtract(1, ordering: .relaxed) }
}

/// Held by a builder that was provided.
private final class Provision: Sendable {
    let bench: Workbench

    init(_ bench: Workbench) {
        self.bench = bench
        bench.providers.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { bench.providers.wrappingSubtract(1, ordering: .relaxed) }
}

// MARK: - Keys

private struct Unlucky: Error {}

private protocol Index: SendableMetatype { static var index: Int { get } }
private enum I0: Index { static let index = 0 }
private enum I1: Index { static let index = 1 }
private enum I2: Index { static let index = 2 }
private enum I3: Index { static let index = 3 }
private enum I4: Index { static let index = 4 }
private enum I5: Index { static let index = 5 }
private enum I6: Index { static let index = 6 }
private enum I7: Index { static let index = 7 }

private enum NodeKey<I: Index>: ScopeKey {
    static var lifetime: ValueLifetime { Workbench.current?.keys[I.index].lifetime ?? .shared }
    static func makeValue(in scope: EnvironmentScope) throws -> Node {
        guard let bench = Workbench.current else { throw Unlucky() }
        return try node(bench.keys[I.index].recipe, salt: 1_000 + UInt64(I.index), bench, scope)
    }
}

private let nodeKeys: [any ScopeKey<Node>.Type] = [
    NodeKey<I0>.self, NodeKey<I1>.self, NodeKey<I2>.self, NodeKey<I3>.self,
    NodeKey<I4>.self, NodeKey<I5>.self, NodeKey<I6>.self, NodeKey<I7>.self,
]

/// Builds a node; half of the recipes read from the scope they are given, half from the current one.
private func node(_ recipe: Recipe, salt: UInt64, _ bench: Workbench, _ scope: EnvironmentScope) throws -> Node {
    let value = try recipe.value(salt: salt, unlucky: Unlucky() as any Error) { key in
        try (salt % 2 == 0 ? scope : .current).node(key).value
    }
    return Node(value, bench)
}

extension EnvironmentScope {
    func node(_ key: Int) throws(ScopeError) -> Node { try value(for: nodeKeys[key]) }

    /// Reads as a property does, which is another way through the library.
    func nodeOfProperty(_ key: Int) -> Node {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) -> Node { self[key] }
        return open(nodeKeys[key])
    }

    func setNode(_ key: Int, _ node: Node) {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) { self[key] = node }
        open(nodeKeys[key])
    }

    func provideNode(_ key: Int, _ recipe: Recipe, salt: UInt64, _ bench: Workbench) {
        let provision = Provision(bench)
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) {
            provide(key) { try ScopedInjectionTests.node(recipe, salt: salt, provision.bench, $0) }
        }
        open(nodeKeys[key])
    }

    func removeNode(_ key: Int) {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) { removeValue(for: key) }
        open(nodeKeys[key])
    }

    func aliasNode(_ key: Int, to other: Int) {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) {
            func open<Other: ScopeKey<Node>>(_ other: Other.Type) { alias(key, to: other) }
            open(nodeKeys[other])
        }
        open(nodeKeys[key])
    }
}

// MARK: - Steps

extension Program.Step {
    /// Does what the step says to the scopes, unless that takes waiting, or an end to holding one.
    func perform(on scopes: inout [Int: EnvironmentScope], _ bench: Workbench) {
        switch self {
        case .make(let scope, let parent, let policy):
            scopes[scope] = .empty("\(scope)", parent: parent.scope(of: scopes), defaults: policy)
        case .set(let key, let scope, let value): scopes[scope]?.setNode(key, Node(value, bench))
        case .provide(let key, let scope, let recipe, let salt):
            scopes[scope]?.provideNode(key, recipe, salt: salt, bench)
        case .remove(let key, let scope): scopes[scope]?.removeNode(key)
        case .removeAll(let scope): scopes[scope]?.removeAll()
        case .alias(let key, let target, let scope): scopes[scope]?.aliasNode(key, to: target)
        case .move(let scope, let parent): scopes[scope]?.parent = parent.scope(of: scopes)
        case .replaceGlobal(let scope): if let scope = scopes[scope] { EnvironmentScope.global = scope }
        case .close, .drop: preconditionFailure("\(self) is for who holds the scopes")
        }
    }
}

extension Program.Parent {
    fileprivate func scope(of scopes: [Int: EnvironmentScope]) -> EnvironmentScope? {
        switch self {
        case .none: nil
        case .global: .global
        case .scope(let scope): scopes[scope]
        }
    }
}
