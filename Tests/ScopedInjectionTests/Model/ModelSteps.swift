import ScopedInjection

/// A tree of scopes: what is set in it, and nothing else.
struct Model: Sendable {
    enum Base: Sendable {
        case nothing
        case set(UInt64)
        case provided(Recipe)
        case alias(Int)
    }

    /// What a scope says of a value.
    struct Entry: Sendable {
        var base: Base
        var decorations: [Recipe] = []
        /// When it was last changed.
        var version: Int
    }

    struct Scope: Sendable {
        var parent: Program.Parent
        let policy: DefaultsPolicy?
        var isHeld = true
        var isClosed = false
        var entries: [Entry?]
    }

    let values: [Program.Declaration]
    /// Whether scopes are closed before they go, so that no cleanup is lost.
    let closesAll: Bool
    private(set) var scopes: [Int: Scope]
    private(set) var global = 0
    private var version = 0

    init(_ values: [Program.Declaration], usesGlobal: Bool, closesAll: Bool = true) {
        self.values = values
        self.closesAll = closesAll
        scopes = [
            0: Scope(
                parent: .none,
                policy: nil,
                isHeld: usesGlobal,
                entries: .init(repeating: nil, count: values.count)
            )
        ]
    }

    func isHeld(_ scope: Int) -> Bool { scopes[scope]?.isHeld == true }

    /// Whether the scope is there: a scope holds its parent weakly (R8), and the global scope is always there (R13).
    func isAlive(_ scope: Int) -> Bool { isHeld(scope) || global == scope }

    /// The scope and its ancestors.
    func view(of scope: Int) -> View {
        var (numbers, isCut) = ([scope], false)
        walk: while let parent = scopes[numbers[numbers.count - 1]]?.parent {
            switch parent {
            case .none: break walk
            case .global: numbers.append(global)
            case .scope(let parent):
                isCut = !isAlive(parent)
                if isCut { break walk }
                numbers.append(parent)
            }
        }
        return View(numbers: numbers, scopes: numbers.compactMap { scopes[$0] }, isCut: isCut)
    }

    func read(_ value: Int, in scope: Int) -> Result<Evaluation.Reading, Evaluation.Failure> {
        var evaluation = Evaluation(values, view(of: scope))
        return evaluation.read(value)
    }

    /// Does a step; false if it makes no sense, or would end the program.
    mutating func apply(_ step: Program.Step) -> Bool {
        version += 1
        switch step {
        case .make(let scope, let parent, let policy):
            guard scopes[scope] == nil, canBeParent(parent) else { return false }
            scopes[scope] = Scope(
                parent: link(to: parent),
                policy: policy,
                entries: .init(repeating: nil, count: values.count)
            )
        case .set(let value, let scope, let number):
            return change(value, in: scope) { Entry(base: .set(number), version: $1) }
        case .provide(let value, let scope, let recipe):
            return change(value, in: scope) { Entry(base: .provided(recipe), version: $1) }
        case .decorate(let value, let scope, let recipe):
            return change(value, in: scope) {
                Entry(base: $0?.base ?? .nothing, decorations: ($0?.decorations ?? []) + [recipe], version: $1)
            }
        case .remove(let value, let scope):
            return change(value, in: scope) { _, _ in nil }
        case .removeAll(let scope):
            guard isHeld(scope) else { return false }
            scopes[scope]?.entries = .init(repeating: nil, count: values.count)
        case .alias(let value, let target, let scope):
            guard isHeld(scope) else { return false }
            let old = scopes[scope]?.entries[value]
            scopes[scope]?.entries[value] = Entry(base: .alias(target), version: version)
            if view(of: scope).target(of: value) == nil {
                scopes[scope]?.entries[value] = old
                return false
            }
        case .move(let scope, let parent):
            guard isHeld(scope), canBeParent(parent) else { return false }
            let link = link(to: parent)
            if scope == global, parent != .none { return false }
            if case .scope(let parent) = link, view(of: parent).numbers.contains(scope) { return false }
            scopes[scope]?.parent = link
        case .replaceGlobal(let scope):
            guard isHeld(scope), scopes[scope]?.parent == Program.Parent.none else { return false }
            global = scope
        case .discard(let scope):
            return isHeld(scope)
        case .close(let scope):
            guard isHeld(scope) else { return false }
            scopes[scope]?.isClosed = true
        case .drop(let scope):
            guard isHeld(scope), !closesAll || scopes[scope]?.isClosed == true else { return false }
            scopes[scope]?.isHeld = false
        }
        return true
    }

    private func canBeParent(_ parent: Program.Parent) -> Bool {
        if case .scope(let scope) = parent { isHeld(scope) } else { true }
    }

    /// R13: a scope that is made under the global one follows it, whichever way that was named.
    private func link(to parent: Program.Parent) -> Program.Parent { parent == .scope(global) ? .global : parent }

    /// R12: changes what a scope says of the value at the end of the aliases.
    private mutating func change(_ value: Int, in scope: Int, _ body: (Entry?, Int) -> Entry?) -> Bool {
        guard isHeld(scope), let target = view(of: scope).target(of: value) else { return false }
        let old = scopes[scope]?.entries[target]
        scopes[scope]?.entries[target] = body(old, version)
        return true
    }
}
