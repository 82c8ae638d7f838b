import ScopedInjection
import Synchronization

/// The recipes of a program's keys, and the number of its objects that are alive.
final class Workbench: Sendable {
    /// The program that this thread or task works on.
    ///
    /// Builders read it. It stays the same for as long as the scopes live, so it is no input.
    @TaskLocal static var current: Workbench?

    let keys: [Program.Key]
    let nodes = Atomic(0)
    let providers = Atomic(0)

    init(keys: [Program.Key]) { self.keys = keys }
}

/// A value of a program's scopes; each build makes another one.
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

/// An object that a provided builder holds.
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

private protocol Kind: SendableMetatype {
    static var lifetime: ValueLifetime { get }
    static var isSafe: Bool { get }
}
private enum Shared: Kind { static let (lifetime, isSafe) = (ValueLifetime.shared, false) }
private enum Scoped: Kind { static let (lifetime, isSafe) = (ValueLifetime.scoped, false) }
private enum Transient: Kind { static let (lifetime, isSafe) = (ValueLifetime.transient, false) }
private enum SafeShared: Kind { static let (lifetime, isSafe) = (ValueLifetime.shared, true) }
private enum SafeScoped: Kind { static let (lifetime, isSafe) = (ValueLifetime.scoped, true) }
private enum SafeTransient: Kind { static let (lifetime, isSafe) = (ValueLifetime.transient, true) }

/// A key type has one lifetime, so there is one type for each index and kind.
private enum NodeKey<I: Index, K: Kind>: ScopeKey {
    static var lifetime: ValueLifetime { K.lifetime }
    static var isSafeInTests: Bool { K.isSafe }
    static func makeValue(in scope: EnvironmentScope) throws -> Node {
        guard let bench = Workbench.current else { throw Unlucky() }
        let key = bench.keys[I.index]
        if key.isRequired { return try defaultValue }
        return try node(key.recipe, salt: 1_000 + UInt64(I.index), bench, I.index, [:], scope)
    }
}

private let nodeKeys: [[any ScopeKey<Node>.Type]] = {
    func kinds<I: Index>(_: I.Type) -> [any ScopeKey<Node>.Type] {
        [
            NodeKey<I, Shared>.self, NodeKey<I, Scoped>.self, NodeKey<I, Transient>.self,
            NodeKey<I, SafeShared>.self, NodeKey<I, SafeScoped>.self, NodeKey<I, SafeTransient>.self,
        ]
    }
    return [
        kinds(I0.self), kinds(I1.self), kinds(I2.self), kinds(I3.self),
        kinds(I4.self), kinds(I5.self), kinds(I6.self), kinds(I7.self),
    ]
}()

extension Program.Key {
    fileprivate var kind: Int {
        let lifetime =
            switch lifetime {
            case .shared: 0
            case .scoped: 1
            case .transient: 2
            }
        return lifetime + (isSafe ? 3 : 0)
    }
}

/// The key type of a key of the program that this thread or task works on.
private func nodeKey(_ key: Int) -> any ScopeKey<Node>.Type {
    nodeKeys[key][Workbench.current?.keys[key].kind ?? 0]
}

/// A scope that a builder captured.
private struct Captured: Sendable {
    weak let scope: EnvironmentScope?
}

/// Builds a node; half of the recipes read from the scope they are given, the others from the current one.
private func node(
    _ recipe: Recipe,
    salt: UInt64,
    _ bench: Workbench,
    _ own: Int,
    _ captured: [Int: Captured],
    _ scope: EnvironmentScope
) throws -> Node {
    let value = try recipe.value(salt: salt, unlucky: Unlucky() as any Error) { read in
        let scope = salt % 2 == 0 ? scope : .current
        return switch read {
        case .key(let key): try scope.node(key).value
        case .ifAny(let key): try scope.nodeIfAny(key)?.value
        case .through(let other, let key): try captured[other]?.scope?.node(key).value
        case .inherited: try scope.inheritedNode(own).value
        case .past(let key): try scope.inheritedNode(key).value
        case .ask(let other): captured[other]?.scope.map { ($0.isClosed ? 1 : 0) + 2 * $0.numberOfParent }
        case .askParent: scope.numberOfParent
        case .within(let overridden, let key):
            try EnvironmentScope("made", parent: scope) { $0.setNode(overridden, Node(Recipe.madeValue, bench)) }
                .node(key).value
        }
    }
    return Node(value, bench)
}

extension EnvironmentScope {
    /// The number of the parent plus 1; 0 if there is none.
    fileprivate var numberOfParent: UInt64 { parent?.name.flatMap { UInt64($0) }.map { $0 + 1 } ?? 0 }

    func node(_ key: Int) throws(ScopeError) -> Node { try value(for: nodeKey(key)) }

    func nodeIfAny(_ key: Int) throws(ScopeError) -> Node? {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) throws(ScopeError) -> Node? { try valueIfAny(key) }
        return try open(nodeKey(key))
    }

    func inheritedNode(_ key: Int) throws(ScopeError) -> Node {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) throws(ScopeError) -> Node { try inherited(key) }
        return try open(nodeKey(key))
    }

    /// Reads like a property, which takes another path through the library.
    func nodeOfProperty(_ key: Int) -> Node {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) -> Node { self[key] }
        return open(nodeKey(key))
    }

    func setNode(_ key: Int, _ node: Node) {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) { self[key] = node }
        open(nodeKey(key))
    }

    fileprivate func provideNode(
        _ key: Int,
        _ recipe: Recipe,
        salt: UInt64,
        _ bench: Workbench,
        _ captured: [Int: Captured]
    ) {
        let provision = Provision(bench)
        // With an alias, this is another key's builder, but it inherits by the key it knows.
        func open<Type: ScopeKey<Node>>(_ type: Type.Type) {
            provide(type) { try ScopedInjectionTests.node(recipe, salt: salt, provision.bench, key, captured, $0) }
        }
        open(nodeKey(key))
    }

    func removeNode(_ key: Int) {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) { removeValue(for: key) }
        open(nodeKey(key))
    }

    func aliasNode(_ key: Int, to other: Int) {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) {
            func open<Other: ScopeKey<Node>>(_ other: Other.Type) { alias(key, to: other) }
            open(nodeKey(other))
        }
        open(nodeKey(key))
    }
}

// MARK: - Steps

extension Program.Step {
    /// Does a step on the scopes; steps that need to wait, or to release a scope, are the caller's.
    func perform(on scopes: inout [Int: EnvironmentScope], _ bench: Workbench) {
        switch self {
        case .make(let scope, let parent, let policy):
            scopes[scope] = .empty("\(scope)", parent: parent.scope(of: scopes), defaults: policy)
        case .set(let key, let scope, let value): scopes[scope]?.setNode(key, Node(value, bench))
        case .provide(let key, let scope, let recipe, let salt):
            let captured = recipe.captured.map { ($0, Captured(scope: scopes[$0])) }
            scopes[scope]?.provideNode(key, recipe, salt: salt, bench, .init(captured) { first, _ in first })
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
