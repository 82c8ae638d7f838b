import ScopedInjection
import Testing

/// A value that tells from what it was built, and each of its instances apart.
private final class Node: Sendable {
    let text: String
    init(_ text: String) { self.text = text }
}

private struct Unlucky: Error {}

/// What the builder of each key reads; the same for the library and for the model.
private func buildText(_ key: Int, variant: Int?, read: (Int) throws -> String) throws -> String {
    if let variant {
        return switch key {
        case 0...4: "p\(variant)(\(try read(key == 3 ? 5 : 7)))"
        default: "p\(variant)"
        }
    }
    switch key {
    case 0: return "0(\(try read(1)),\(try read(2)))"
    case 1:
        let first = try read(3)
        return first.utf8.count % 2 == 0 ? "1(\(first),\(try read(4)))" : "1(\(first))"
    case 2: return "2(\((try? read(6)) ?? "none"))"
    case 3: return "3(\(try read(5)))"
    case 4: return "4(\(try read(5)))"
    case 6:
        let input = try read(7)
        if input.utf8.count % 3 == 0 { throw Unlucky() }
        return "6(\(input))"
    case 8: return "8(\((try? read(0)) ?? "none"),\(try read(5)))"
    default: return "\(key)"
    }
}

private func lifetime(of key: Int) -> ValueLifetime {
    switch key {
    case 3: .scoped
    case 4: .transient
    default: .shared
    }
}

// MARK: - The library's side

private protocol Index: SendableMetatype { static var index: Int { get } }
private enum I0: Index { static let index = 0 }
private enum I1: Index { static let index = 1 }
private enum I2: Index { static let index = 2 }
private enum I3: Index { static let index = 3 }
private enum I4: Index { static let index = 4 }
private enum I5: Index { static let index = 5 }
private enum I6: Index { static let index = 6 }
private enum I7: Index { static let index = 7 }
private enum I8: Index { static let index = 8 }

private enum NodeKey<I: Index>: ScopeKey {
    static var lifetime: ValueLifetime { ScopedInjectionTests.lifetime(of: I.index) }
    static func makeValue(in scope: EnvironmentScope) throws -> Node {
        Node(try buildText(I.index, variant: nil) { try scope.value(for: keys[$0]).text })
    }
}

private let keys: [any ScopeKey<Node>.Type] = [
    NodeKey<I0>.self, NodeKey<I1>.self, NodeKey<I2>.self, NodeKey<I3>.self, NodeKey<I4>.self,
    NodeKey<I5>.self, NodeKey<I6>.self, NodeKey<I7>.self, NodeKey<I8>.self,
]

extension EnvironmentScope {
    fileprivate func set(_ node: Node, at key: any ScopeKey<Node>.Type) {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) { self[key] = node }
        open(key)
    }
    fileprivate func provide(_ variant: Int, at index: Int) {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) {
            provide(key) { scope in
                Node(try buildText(index, variant: variant) { try scope.value(for: keys[$0]).text })
            }
        }
        open(keys[index])
    }
    fileprivate func remove(_ key: any ScopeKey<Node>.Type) {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) { removeValue(for: key) }
        open(key)
    }
    fileprivate func declareAlias(_ key: any ScopeKey<Node>.Type, to other: any ScopeKey<Node>.Type) {
        func open<Key: ScopeKey<Node>>(_ key: Key.Type) {
            func open<Other: ScopeKey<Node>>(_ other: Other.Type) { alias(key, to: other) }
            open(other)
        }
        open(key)
    }
}

// MARK: - The model: a tree of scopes, evaluated naively, nothing kept

private final class ModelScope {
    enum Binding {
        case set(Node, order: Int)
        /// With the key it was provided for, which may have become another one's name since.
        case provided(Int, key: Int, order: Int)

        var order: Int {
            switch self {
            case .set(_, let order), .provided(_, _, let order): order
            }
        }
    }

    var parent: ModelScope?
    var bindings: [Int: Binding] = [:]
    var aliases: [Int: Int] = [:]
    let real: EnvironmentScope

    init(parent: ModelScope?) {
        self.parent = parent
        real = .empty(parent: parent?.real)
    }

    var chain: [ModelScope] { [self] + (parent?.chain ?? []) }

    /// What the value is and which scope keeps it; the scopes that supplied something are added to `suppliers`.
    func read(_ key: Int, _ suppliers: inout [ModelScope]) throws -> (text: String, keeper: ModelScope, set: Node?) {
        if let scope = deepestAlias(from: key) { suppliers.append(scope) }
        let key = canonical(key)
        for scope in chain {
            let names = (0..<keys.count).filter { scope.canonical($0) == scope.canonical(key) }
            guard let binding = names.compactMap({ scope.bindings[$0] }).max(by: { $0.order < $1.order }) else {
                continue
            }
            switch binding {
            case .set(let node, _):
                suppliers.append(scope)
                return (node.text, scope, node)
            case .provided(let variant, let written, _):
                return try build(key, as: written, variant: variant, limit: scope, &suppliers)
            }
        }
        return try build(key, as: key, variant: nil, limit: chain[chain.count - 1], &suppliers)
    }

    private func build(
        _ key: Int,
        as written: Int,
        variant: Int?,
        limit: ModelScope,
        _ suppliers: inout [ModelScope]
    ) throws -> (String, ModelScope, Node?) {
        var inner = variant == nil ? [] : [limit]
        do {
            let text = try buildText(written, variant: variant) { try read($0, &inner).text }
            let keeper: ModelScope =
                switch lifetime(of: key) {
                case .scoped: self
                default: chain.first { scope in scope === limit || inner.contains { $0 === scope } } ?? limit
                }
            // A value that is kept nowhere out to the root was supplied by no scope.
            if lifetime(of: key) == .transient {
                suppliers += inner
            } else if keeper.parent != nil || lifetime(of: key) == .scoped {
                suppliers.append(keeper)
            }
            return (text, keeper, nil)
        } catch {
            suppliers += inner
            throw error
        }
    }

    func canonical(_ key: Int) -> Int {
        let target = chain.lazy.compactMap { $0.aliases[key] }.first
        return target.map(canonical) ?? key
    }

    /// The deepest scope without whose alias another value would be read: of several that say the same, the outermost.
    private func deepestAlias(from key: Int) -> ModelScope? {
        let declaring = chain.filter { $0.aliases[key] != nil }
        guard let target = declaring.first?.aliases[key] else { return nil }
        let scope = declaring.prefix { $0.aliases[key] == target }.last
        guard let next = deepestAlias(from: target) else { return scope }
        return chain.first { $0 === next || $0 === scope }
    }
}

/// A small random generator whose seed names a whole program.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

@Suite("R1, R2, R3, R12: every read equals what a naive evaluation gives")
struct ModelTests {
    @Test("Random programs of sets, providers, removals, aliases and new parents", arguments: 0..<24 as Range<UInt64>)
    func randomProgram(seed: UInt64) throws {
        var random = Seeded(state: seed)
        let usesAliases = seed % 4 == 3
        var scopes = [ModelScope(parent: nil)]
        var order = 0
        var log: [String] = []

        for _ in 0..<100 {
            order += 1
            let index = Int.random(in: 0..<scopes.count, using: &random)
            let scope = scopes[index]
            let key = Int.random(in: 0..<keys.count, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0...2:
                let node = Node("v\(order)")
                log.append("set \(key) in \(index): \(node.text)")
                scope.real.set(node, at: keys[key])
                clear(key, in: scope)
                scope.bindings[scope.canonical(key)] = .set(node, order: order)
            case 3, 4:
                log.append("provide \(key) in \(index): p\(order)")
                scope.real.provide(order, at: key)
                clear(key, in: scope)
                // The builder of a key that stands for another one reads what it was written to read.
                if scope.canonical(key) != key {
                    scope.real.remove(keys[key])
                    clear(key, in: scope)
                } else {
                    scope.bindings[key] = .provided(order, key: key, order: order)
                }
            case 5, 6:
                log.append("remove \(key) in \(index)")
                scope.real.remove(keys[key])
                clear(key, in: scope)
            case 7 where scopes.count < 7:
                log.append("child \(scopes.count) of \(index)")
                scopes.append(ModelScope(parent: scope))
            case 8 where index > 0:
                let parent = scopes[Int.random(in: 0..<scopes.count, using: &random)]
                guard !parent.chain.contains(where: { $0 === scope }) else { continue }
                log.append("parent of \(index) is \(scopes.firstIndex { $0 === parent } ?? -1)")
                scope.real.parent = parent.real
                scope.parent = parent
            case 9 where usesAliases:
                // Towards greater numbers, and to none that builders read which were provided, so that no circle arises.
                let targets = [1, 2, 6].filter { $0 > key }
                guard lifetime(of: key) == .shared, let other = targets.randomElement(using: &random) else { continue }
                log.append("alias \(key) to \(other) in \(index)")
                scope.real.declareAlias(keys[key], to: keys[other])
                scope.aliases[key] = other
            case 10:
                log.append("remove all in \(index)")
                scope.real.removeAll()
                scope.bindings = [:]
                scope.aliases = [:]
            default:
                break
            }
            // Only some are read, so that what was read before differs from program to program.
            let all = Int.random(in: 0..<8, using: &random) == 0
            try check(scopes, &random, all: all, seed, log)
        }
    }

    private func clear(_ key: Int, in scope: ModelScope) {
        let canonical = scope.canonical(key)
        for name in 0..<keys.count where scope.canonical(name) == canonical { scope.bindings[name] = nil }
    }

    private func check(
        _ scopes: [ModelScope],
        _ random: inout Seeded,
        all: Bool,
        _ seed: UInt64,
        _ log: [String]
    ) throws {
        struct Place: Hashable {
            let key: Int
            let keeper: ObjectIdentifier
        }
        var instances: [Place: Node] = [:]
        var places: [ObjectIdentifier: Place] = [:]
        for index in scopes.indices.shuffled(using: &random) {
            for key in keys.indices.shuffled(using: &random) {
                guard all || Int.random(in: 0..<4, using: &random) == 0 else { continue }
                let scope = scopes[index]
                var suppliers: [ModelScope] = []
                let expected = try? scope.read(key, &suppliers)
                let found = try? scope.real.value(for: keys[key])
                guard expected?.text == found?.text else {
                    Issue.record(
                        """
                        seed \(seed), key \(key) in scope \(index): \(found?.text ?? "an error") instead of \
                        \(expected?.text ?? "an error") after \(log.suffix(40))
                        """
                    )
                    throw Unlucky()
                }
                guard let expected, let found, lifetime(of: scope.canonical(key)) != .transient else { continue }
                if let set = expected.set {
                    #expect(found === set)
                    continue
                }
                let place = Place(key: scope.canonical(key), keeper: ObjectIdentifier(expected.keeper))
                let known = instances[place] ?? found
                let knownPlace = places[ObjectIdentifier(found)] ?? place
                guard known === found, knownPlace == place else {
                    let keeper = scopes.firstIndex { $0 === expected.keeper } ?? -1
                    Issue.record(
                        """
                        seed \(seed), key \(key) in scope \(index): the instance should be shared exactly where scope \
                        \(keeper) keeps it, after \(log.suffix(40))
                        """
                    )
                    throw Unlucky()
                }
                instances[place] = found
                places[ObjectIdentifier(found)] = place
            }
        }
    }
}
