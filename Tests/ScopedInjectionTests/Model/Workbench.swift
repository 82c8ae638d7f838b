import ScopedInjection
import Synchronization

/// The declarations of a program, and what its builders have made.
final class Workbench: Sendable {
    /// The program that this thread or task works on.
    ///
    /// Builders read it. It stays the same for as long as the scopes live, so it is no input.
    @TaskLocal static var current: Workbench?

    let values: [Program.Declaration]
    /// The values of the library, by number.
    let declared: [ScopeValue<Item>]
    private let references: [Injected<Item>]
    /// The numbers of nodes and of provided builders that are alive.
    let nodes = Atomic(0)
    let builders = Atomic(0)
    /// Counts cleanups.
    let clock = Atomic(1)
    let tokens = Box<[Serial]>([])

    init(_ values: [Program.Declaration]) {
        self.values = values
        declared = values.enumerated().map { ModelValues.declared[$0][$1.kind] }
        references = declared.map { Injected(value: $0) }
    }

    func read(_ value: Int, by reader: ScopeReader) throws(ScopeError) -> Item { try reader[declared[value]] }

    func refer(to value: Int) throws(ScopeError) -> Item { try references[value].value() }
}

/// What a program's scopes hold; nil for optional values.
struct Item: Sendable, ExpressibleByNilLiteral {
    let node: Node?
    var number: UInt64 { node?.number ?? 0 }

    init(_ node: Node) { self.node = node }
    init(nilLiteral: ()) { node = nil }
}

/// An instance; each build makes another one.
final class Node: Sendable {
    private static let lastID = Atomic<UInt64>(0)

    let number: UInt64
    let id = Node.lastID.wrappingAdd(1, ordering: .relaxed).newValue
    /// The values that its builder read, and the nodes that it got.
    let inputs: [(value: Int, id: UInt64)]
    let token: Serial?
    private let bench: Workbench?

    init(_ number: UInt64, _ bench: Workbench?, _ inputs: [(value: Int, id: UInt64)] = [], _ token: Serial? = nil) {
        (self.number, self.inputs, self.token, self.bench) = (number, inputs, token, bench)
        bench?.nodes.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { bench?.nodes.wrappingSubtract(1, ordering: .relaxed) }
}

/// A cleanup that a builder has registered.
final class Serial: Sendable {
    let value: UInt64
    let runs = Atomic(0)
    /// The time of the first run; 0 before.
    let ranAt = Atomic(0)

    init(_ value: UInt64) { self.value = value }

    func run(_ bench: Workbench) {
        if runs.wrappingAdd(1, ordering: .relaxed).newValue == 1 {
            ranAt.store(bench.clock.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue, ordering: .releasing)
        }
    }
}

/// An object that a provided builder holds.
private final class Held: Sendable {
    let bench: Workbench

    init(_ bench: Workbench) {
        self.bench = bench
        bench.builders.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { bench.builders.wrappingSubtract(1, ordering: .relaxed) }
}

// MARK: - Values

private struct Unlucky: Error {}

extension ScopeValues {
    /// A value of the programs, by its number and its kind.
    fileprivate static func item(_ index: Int, _ kind: Program.Kind) -> ScopeValue<Item> {
        let id = ModelValues.ID(index: index, kind: kind)
        var inTests: (@Sendable (ScopeReader) throws -> Item)?
        if kind.hasTestValue {
            inTests = { reader in
                guard let bench = Workbench.current else { throw Unlucky() }
                return try Recipe(salt: Recipe.constant(of: index, true), cleansUp: true).build(nil, reader, bench)
            }
        }
        let constant = Item(Node(Recipe.constant(of: index, false), nil))
        let constantInTests = kind.hasTestValue ? Item(Node(Recipe.constant(of: index, true), nil)) : Item?.none
        switch kind.form {
        case .optional: return .optional(id: id)
        case .required: return .required(inTests: inTests, id: id)
        case .constant:
            return .value(constant, isSafeInTests: kind.isSafe, inTests: constantInTests, id: id)
        case .lazy:
            return .lazy(kind.lifetime, isSafeInTests: kind.isSafe, inTests: inTests, id: id) { reader in
                guard let bench = Workbench.current else { throw Unlucky() }
                return try bench.values[index].recipe.build(nil, reader, bench)
            }
        }
    }
}

enum ModelValues {
    fileprivate struct ID: Hashable, Sendable {
        let index: Int
        let kind: Program.Kind
    }

    /// The values of one number, which are declared when they are first used.
    struct Family: Sendable {
        fileprivate let index: Int

        subscript(kind: Program.Kind) -> ScopeValue<Item> { ScopeValues.item(index, kind) }
    }

    static let declared = (0..<Program.mostValues).map { Family(index: $0) }
}

extension Recipe {
    /// Builds an item with the library.
    func build(_ inherited: Item?, _ reader: ScopeReader, _ bench: Workbench) throws -> Item {
        var inputs: [(value: Int, id: UInt64)] = []
        var token: Serial?
        if cleansUp {
            let made = Serial(salt)
            bench.tokens.update { $0.append(made) }
            reader.onClose { made.run(bench) }
            token = made
        }
        func note(_ value: Int, _ item: Item) -> UInt64 {
            if let node = item.node { inputs.append((value, node.id)) }
            return item.number
        }
        let number = try value(inherited?.number, unlucky: Unlucky() as any Error) { read in
            switch read {
            case .value(let value): note(value, try bench.read(value, by: reader))
            case .reference(let value): note(value, try bench.refer(to: value))
            case .ifAny(let value): try reader.valueIfAny(for: bench.declared[value]).map { note(value, $0) } ?? 2
            case .current: EnvironmentScope.current.name.flatMap { UInt64($0) } ?? 0
            }
        }
        return Item(Node(number, bench, inputs, token))
    }
}

// MARK: - Steps

extension Program.Step {
    /// Does a step on the scopes; steps that need to wait, or to release a scope, are the caller's.
    func perform(on scopes: inout [Int: EnvironmentScope], _ bench: Workbench) {
        switch self {
        case .make(let scope, let parent, let policy):
            scopes[scope] = .empty("\(scope)", parent: parent.scope(of: scopes), defaults: policy)
        case .set(let value, let scope, let number):
            scopes[scope]?[bench.declared[value]] = number == 0 ? nil : Item(Node(number, bench))
        case .provide(let value, let scope, let recipe):
            let held = Held(bench)
            scopes[scope]?.provide(bench.declared[value]) { try recipe.build(nil, $0, held.bench) }
        case .decorate(let value, let scope, let recipe):
            let held = Held(bench)
            scopes[scope]?.decorate(bench.declared[value]) { try recipe.build($0, $1, held.bench) }
        case .remove(let value, let scope): scopes[scope]?.removeValue(for: bench.declared[value])
        case .removeAll(let scope): scopes[scope]?.removeAll()
        case .alias(let value, let target, let scope):
            scopes[scope]?.alias(bench.declared[value], to: bench.declared[target])
        case .move(let scope, let parent): scopes[scope]?.parent = parent.scope(of: scopes)
        case .replaceGlobal(let scope): if let scope = scopes[scope] { EnvironmentScope.global = scope }
        case .discard, .close, .drop: preconditionFailure("\(self) is for who holds the scopes")
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
