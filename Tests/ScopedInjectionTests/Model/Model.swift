import ScopedInjection

/// A tree of scopes by the rules R1, R2, R3, R4, R11, R12, R13 and R14, which evaluates each read afresh and keeps
/// nothing.
struct Model: Sendable {
    enum Binding: Sendable {
        case set(UInt64)
        case provided(Provision)
        case alias(Int)
    }

    /// A builder, and the key it was provided for; with an alias, it builds another key.
    struct Provision: Sendable {
        let recipe: Recipe
        let salt: UInt64
        let name: Int
    }

    typealias Bound = (binding: Binding, order: Int)

    struct Scope: Sendable {
        var parent: Program.Parent
        let policy: DefaultsPolicy?
        var isHeld = true
        var isClosed = false
        /// The last binding of each key, and when it was made.
        var bindings = [Bound?](repeating: nil, count: Program.keyCount)
    }

    let keys: [Program.Key]
    private(set) var scopes: [Int: Scope] = [0: Scope(parent: .none, policy: nil)]
    private(set) var global = 0
    /// The scopes that a builder has captured; a program holds those to the end.
    private var captured: Set<Int> = []
    private var order = 0

    init(keys: [Program.Key]) { self.keys = keys }

    /// Whether the program still holds the scope.
    func isHeld(_ scope: Int) -> Bool { scopes[scope]?.isHeld == true }

    /// Whether the scope is alive; the global scope is, even if the program does not hold it.
    func isAlive(_ scope: Int) -> Bool { isHeld(scope) || global == scope }

    /// The scope and its ancestors, and whether a parent is missing.
    func chain(of scope: Int) -> (numbers: [Int], isCut: Bool) {
        var numbers = [scope]
        while true {
            switch scopes[numbers[numbers.count - 1]]?.parent {
            case nil, .some(.none):
                return (numbers, false)
            case .global:
                numbers.append(global)
            case .scope(let parent):
                guard isAlive(parent) else { return (numbers, true) }
                numbers.append(parent)
            }
        }
    }

    /// The view of the scope.
    func view(of scope: Int) -> View {
        let (numbers, isCut) = chain(of: scope)
        return View(numbers: numbers, scopes: numbers.compactMap { scopes[$0] }, isCut: isCut)
    }

    /// The result of a read of the key in the scope; nil if the rules leave it open.
    func read(_ key: Int, in scope: Int) -> Result<Reading, Failure>? {
        var evaluation = Evaluation(self)
        var places = Places()
        let result = Result { () throws(Failure) in try evaluation.read(key, view(of: scope), &places) }
        return evaluation.isMoot ? nil : result
    }

    /// The value that the scope inherits for the key.
    func inherited(_ key: Int, in scope: Int) -> Result<Reading, Failure>? {
        var evaluation = Evaluation(self)
        var places = Places()
        let view = view(of: scope)
        let result = Result { () throws(Failure) in try evaluation.read(key, past: (nil, 1), view, &places) }
        return evaluation.isMoot ? nil : result
    }
}

// MARK: - Steps

extension Model {
    /// Does a step; false if the step makes no sense, or would end the program.
    mutating func apply(_ step: Program.Step) -> Bool {
        order += 1
        switch step {
        case .make(let scope, let parent, let policy):
            guard scopes[scope] == nil, canBeParent(parent) else { return false }
            scopes[scope] = Scope(parent: link(to: parent), policy: policy)
        case .set(let key, let scope, let value):
            return bind(key, in: scope, .set(value))
        case .provide(let key, let scope, let recipe, let salt):
            guard recipe.captured.allSatisfy(isHeld) else { return false }
            guard bind(key, in: scope, .provided(Provision(recipe: recipe, salt: salt, name: key))) else {
                return false
            }
            captured.formUnion(recipe.captured)
        case .remove(let key, let scope):
            return bind(key, in: scope, nil)
        case .removeAll(let scope):
            guard isHeld(scope) else { return false }
            scopes[scope]?.bindings = .init(repeating: nil, count: keys.count)
        case .alias(let key, let target, let scope):
            guard isHeld(scope) else { return false }
            let old = scopes[scope]?.bindings[key]
            scopes[scope]?.bindings[key] = (.alias(target), order)
            if view(of: scope).target(of: key) == nil {
                scopes[scope]?.bindings[key] = old ?? nil
                return false
            }
        case .move(let scope, let parent):
            guard isHeld(scope), canBeParent(parent) else { return false }
            if scope == global, parent != .none { return false }
            if case .scope(let parent) = link(to: parent), chain(of: parent).numbers.contains(scope) { return false }
            if link(to: parent) == .global, scope == global { return false }
            let link = link(to: parent)
            scopes[scope]?.parent = link
        case .replaceGlobal(let scope):
            guard isHeld(scope), scopes[scope]?.parent == Program.Parent.none else { return false }
            global = scope
        case .close(let scope):
            guard isHeld(scope) else { return false }
            scopes[scope]?.isClosed = true
        case .drop(let scope):
            guard isHeld(scope), !captured.contains(scope) else { return false }
            scopes[scope]?.isHeld = false
        }
        return true
    }

    private func canBeParent(_ parent: Program.Parent) -> Bool {
        if case .scope(let scope) = parent { isHeld(scope) } else { true }
    }

    /// A scope made under the global one follows it, whichever way that was named.
    private func link(to parent: Program.Parent) -> Program.Parent { parent == .scope(global) ? .global : parent }

    /// Binds the key at the end of the aliases in a scope.
    private mutating func bind(_ key: Int, in scope: Int, _ binding: Binding?) -> Bool {
        guard isHeld(scope), let target = view(of: scope).target(of: key) else { return false }
        scopes[scope]?.bindings[target] = binding.map { ($0, order) }
        return true
    }
}
