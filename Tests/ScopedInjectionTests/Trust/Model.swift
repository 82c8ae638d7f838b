import ScopedInjection

/// What R1, R2, R3, R11, R12 and R13 say a tree of scopes gives, worked out afresh at each read: nothing is kept.
struct Model: Sendable {
    enum Binding: Sendable {
        case set(UInt64)
        case provided(Recipe, salt: UInt64)
    }

    struct Scope: Sendable {
        var parent: Program.Parent
        let policy: DefaultsPolicy?
        var isHeld = true
        var isClosed = false
        /// For each key what was bound last, and when.
        var bindings = [(binding: Binding, order: Int)?](repeating: nil, count: Program.keyCount)
        /// For each key the one it stands for.
        var aliases = [Int?](repeating: nil, count: Program.keyCount)
    }

    let keys: [Program.Key]
    private(set) var scopes: [Int: Scope] = [0: Scope(parent: .none, policy: nil)]
    private(set) var global = 0
    private var order = 0

    init(keys: [Program.Key]) { self.keys = keys }

    /// Whether the program still has the scope.
    func isHeld(_ scope: Int) -> Bool { scopes[scope]?.isHeld == true }

    /// Whether anybody has it: the global scope lives whether or not the program does hold it.
    func isAlive(_ scope: Int) -> Bool { isHeld(scope) || global == scope }

    /// The scope and those outside it, and whether a parent is missing.
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

    /// What the scope sees.
    func view(of scope: Int) -> View {
        let (numbers, isCut) = chain(of: scope)
        return View(keys: keys, scopes: numbers.compactMap { scopes[$0] }, numbers: numbers, isCut: isCut)
    }
}

// MARK: - Steps

extension Model {
    /// Does a step; false for one that makes no sense, or would end the program.
    mutating func apply(_ step: Program.Step) -> Bool {
        order += 1
        switch step {
        case .make(let scope, let parent, let policy):
            guard scopes[scope] == nil, canBeParent(parent) else { return false }
            scopes[scope] = Scope(parent: link(to: parent), policy: policy)
        case .set(let key, let scope, let value):
            return bind(key, in: scope, .set(value))
        case .provide(let key, let scope, let recipe, let salt):
            return bind(key, in: scope, .provided(recipe, salt: salt))
        case .remove(let key, let scope):
            return bind(key, in: scope, nil)
        case .removeAll(let scope):
            guard isHeld(scope) else { return false }
            scopes[scope]?.bindings = .init(repeating: nil, count: keys.count)
            scopes[scope]?.aliases = .init(repeating: nil, count: keys.count)
        case .alias(let key, let target, let scope):
            guard isHeld(scope) else { return false }
            let old = scopes[scope]?.aliases[key]
            scopes[scope]?.aliases[key] = target
            if view(of: scope).canonical(key, at: 0) == nil {
                scopes[scope]?.aliases[key] = old
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
            guard isHeld(scope) else { return false }
            scopes[scope]?.isHeld = false
        }
        return true
    }

    private func canBeParent(_ parent: Program.Parent) -> Bool {
        if case .scope(let scope) = parent { isHeld(scope) } else { true }
    }

    /// A scope made under the global one follows it, however that one was named.
    private func link(to parent: Program.Parent) -> Program.Parent { parent == .scope(global) ? .global : parent }

    /// Binds a key under the name that stands for all its names, and unbinds the others.
    private mutating func bind(_ key: Int, in scope: Int, _ binding: Binding?) -> Bool {
        guard isHeld(scope) else { return false }
        let view = view(of: scope)
        guard let canonical = view.canonical(key, at: 0) else { return false }
        for name in view.names(of: canonical, at: 0) { scopes[scope]?.bindings[name] = nil }
        scopes[scope]?.bindings[canonical] = binding.map { ($0, order) }
        return true
    }
}

// MARK: - Reads

/// What one scope sees.
///
/// Places are positions in its chain: 0 is the scope itself.
struct View {
    struct Failure: Error, Equatable { let code: ScopeError.Code }

    struct Reading {
        let value: UInt64
        /// Which key's value it is.
        let key: Int
        /// The place of the scope that has it: where it is set, or where it is to be kept.
        let place: Int
        /// Nil for a value that is set.
        let lifetime: ValueLifetime?
    }

    let keys: [Program.Key]
    let scopes: [Model.Scope]
    let numbers: [Int]
    let isCut: Bool
    private let hasAliases: Bool

    private struct Building {
        let key: Int
        let order: Int
        var needsItself = false
    }

    /// What is being built, outermost first.
    private var underway: [Building] = []

    init(keys: [Program.Key], scopes: [Model.Scope], numbers: [Int], isCut: Bool) {
        self.keys = keys
        self.scopes = scopes
        self.numbers = numbers
        self.isCut = isCut
        hasAliases = scopes.contains { $0.aliases.contains { $0 != nil } }
    }

    /// What a read of the key gives.
    ///
    /// A closed scope builds nothing, so it gives what is set, and what some open scope further out keeps already.
    mutating func read(_ key: Int) throws(Failure) -> Reading {
        var deepest = scopes.count
        guard scopes[0].isClosed else { return try read(key, &deepest) }
        do throws(Failure) {
            let reading = try read(key, &deepest)
            if reading.lifetime == nil || reading.lifetime == .shared && reading.place > 0 { return reading }
        } catch {
            // What is known before anything is built.
            if try decision(on: key).bound == nil, forbidsDefaults(at: 0) { throw Failure(code: .defaultForbidden) }
        }
        throw Failure(code: .closed)
    }

    /// Takes note of the deepest scope that supplies something, beside giving the value.
    private mutating func read(_ name: Int, _ deepest: inout Int) throws(Failure) -> Reading {
        if let place = placeOfAlias(name) { deepest = min(deepest, place) }
        let (key, place, bound) = try decision(on: name)
        switch bound?.binding {
        case .set(let value):
            deepest = min(deepest, place)
            return Reading(value: value, key: key, place: place, lifetime: nil)
        case .provided(let recipe, let salt):
            return try build(key, bound?.order ?? 0, recipe, salt, place, &deepest)
        case nil:
            return try build(key, 0, keys[key].recipe, 1_000 + UInt64(key), place, &deepest)
        }
    }

    private mutating func build(
        _ key: Int,
        _ order: Int,
        _ recipe: Recipe,
        _ salt: UInt64,
        _ limit: Int,
        _ deepest: inout Int
    ) throws(Failure) -> Reading {
        var inputs = order > 0 ? limit : scopes.count
        if let first = underway.firstIndex(where: { $0.key == key && $0.order == order }) {
            for index in first..<underway.count { underway[index].needsItself = true }
            deepest = min(deepest, inputs)
            throw Failure(code: .cycle)
        }
        if order == 0 {
            inputs = min(inputs, placeOfPolicy ?? inputs)
            if forbidsDefaults(at: 0) {
                deepest = min(deepest, inputs)
                throw Failure(code: .defaultForbidden)
            }
        }
        underway.append(Building(key: key, order: order))
        let built: Result<UInt64, Failure>
        do throws(Failure) {
            let value = try recipe.value(salt: salt, unlucky: Failure(code: .makeFailed)) { input throws(Failure) in
                try read(input, &inputs).value
            }
            built = .success(value)
        } catch {
            built = .failure(error)
        }
        let needsItself = underway.removeLast().needsItself
        do throws(Failure) {
            if needsItself { throw Failure(code: .cycle) }
            let value = try built.get()
            let lifetime = keys[key].lifetime
            if lifetime == .transient {
                deepest = min(deepest, inputs)
                return Reading(value: value, key: key, place: 0, lifetime: lifetime)
            }
            let place = lifetime == .scoped ? 0 : min(inputs, limit)
            if place > 0, scopes[place].isClosed { throw Failure(code: .closed) }
            deepest = min(deepest, place)
            return Reading(value: value, key: key, place: place, lifetime: lifetime)
        } catch {
            deepest = min(deepest, inputs)
            throw error
        }
    }

    // MARK: Bindings

    /// The key that decides, what the nearest scope binds it to, and that scope's place; the outermost one's, if none does.
    private func decision(
        on name: Int
    ) throws(Failure) -> (key: Int, place: Int, bound: (binding: Model.Binding, order: Int)?) {
        guard let key = canonical(name, at: 0) else { throw Failure(code: .cycle) }
        for place in scopes.indices {
            var latest: (binding: Model.Binding, order: Int)?
            for name in names(of: key, at: place) {
                guard let bound = scopes[place].bindings[name], bound.order > latest?.order ?? 0 else { continue }
                latest = bound
            }
            if let latest { return (key, place, latest) }
        }
        if isCut { throw Failure(code: .parentReleased) }
        return (key, scopes.count - 1, nil)
    }

    private func forbidsDefaults(at place: Int) -> Bool {
        scopes[place...].lazy.compactMap(\.policy).first == .forbidden
    }

    /// The outermost scope where what is said of defaults is the same as here, and as everywhere between.
    private var placeOfPolicy: Int? {
        let isForbidden = forbidsDefaults(at: 0)
        return scopes.indices.prefix { forbidsDefaults(at: $0) == isForbidden }.last
    }

    // MARK: Aliases

    /// The key a name stands for in the scope at a place; nil where its aliases go round in a circle.
    func canonical(_ name: Int, at place: Int) -> Int? {
        guard hasAliases else { return name }
        var key = name
        for _ in 0...keys.count {
            guard let target = scopes[place...].lazy.compactMap({ $0.aliases[key] }).first else { return key }
            key = target
        }
        return nil
    }

    /// All names of a key in the scope at a place.
    func names(of key: Int, at place: Int) -> [Int] {
        guard hasAliases else { return [key] }
        return keys.indices.filter { canonical($0, at: place) == key }
    }

    /// The outermost scope in which the name stands for the same other key as here, and in all between.
    private func placeOfAlias(_ name: Int) -> Int? {
        let key = canonical(name, at: 0)
        return key == name ? nil : scopes.indices.prefix { canonical(name, at: $0) == key }.last
    }
}
