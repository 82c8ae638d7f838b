import ScopedInjection

extension Program {
    static let keyCount = 8

    /// The features that programs use.
    struct Features: OptionSet, Sendable {
        let rawValue: Int
        static let aliases = Features(rawValue: 1)
        static let policies = Features(rawValue: 2)
        static let global = Features(rawValue: 4)
        static let closing = Features(rawValue: 8)
        /// Builders that inherit their own value.
        static let inheriting = Features(rawValue: 16)
        /// Builders that read through scopes they captured; without cycles.
        ///
        /// If a builder catches the error of a cycle through other scopes, the first read decides whether it gives a
        /// value.
        static let capturing = Features(rawValue: 32)
        /// Builders that ask scopes which parent they have; together with `capturing`.
        static let asking = Features(rawValue: 64)
        /// Builders that make scopes; together with `capturing`, and without aliases.
        static let making = Features(rawValue: 128)
    }

    /// A random program, which is the same for the same seed and features.
    init(seed: UInt64, features: Features, length: Int = 30) {
        var random = Seeded(seed)
        self.seed = seed
        reads = [.all, .all, .shuffled, .some][random.below(4)]
        keys = (0..<Self.keyCount).map { Key(random: &random, index: $0, features) }
        usesGlobal = features.contains(.global)
        steps = []
        var maker = StepMaker(features: features, random: random)
        for _ in 0..<length { steps.append(maker.next()) }
    }
}

extension Program.Key {
    init(random: inout Seeded, index: Int, _ features: Program.Features = []) {
        lifetime = random.once(in: 6) ? .scoped : random.once(in: 6) ? .transient : .shared
        isSafe = random.once(in: 4)
        isRequired = random.once(in: 10)
        recipe = Recipe(random: &random, above: index, mayGoRound: !features.contains(.capturing))
    }
}

extension Recipe {
    /// Reads mostly keys with greater numbers, so that most programs have few cycles.
    init(random: inout Seeded, above index: Int, mayGoRound: Bool = true) {
        func key() -> Int {
            let count = Program.keyCount
            if index + 1 >= count || mayGoRound && random.once(in: 48) { return random.below(count) }
            return index + 1 + random.below(count - index - 1)
        }
        let isLast = index + 1 >= Program.keyCount
        for _ in 0..<(isLast && !(mayGoRound && random.once(in: 8)) ? 0 : random.below(3)) {
            switch random.below(9) {
            case 0...3: parts.append(.read(key()))
            case 4, 5: parts.append(.attempt(key()))
            case 6: parts.append(.either(key(), key(), key()))
            case 7: parts.append(.ifAny(key()))
            default: parts.append(.refuse(key()))
            }
        }
    }
}

extension Recipe {
    /// The recipe of a provided builder, which may do more than a key's own.
    init(random: inout Seeded, above index: Int, capturing scopes: [Int], _ features: Program.Features) {
        self.init(random: &random, above: index, mayGoRound: !features.contains(.capturing))
        if features.contains(.inheriting), random.once(in: 2) {
            parts.insert(random.once(in: 2) ? .inherited : .attemptInherited, at: random.below(parts.count + 1))
        }
        if features.contains(.inheriting), random.once(in: 4), index + 1 < Program.keyCount {
            let key = index + 1 + random.below(Program.keyCount - index - 1)
            parts.insert(.attemptPast(key), at: random.below(parts.count + 1))
        }
        if features.contains(.capturing), random.once(in: 2), index + 1 < Program.keyCount {
            let key = index + 1 + random.below(Program.keyCount - index - 1)
            let part = Part.through(scopes[random.below(scopes.count)], key)
            parts.insert(part, at: random.below(parts.count + 1))
        }
        if features.contains(.asking), random.once(in: 3) {
            let part = random.once(in: 2) ? Part.askParent : .ask(scopes[random.below(scopes.count)])
            parts.insert(part, at: random.below(parts.count + 1))
        }
        if features.contains(.making), random.once(in: 2), index + 1 < Program.keyCount {
            let count = Program.keyCount - index - 1
            let part = Part.within(random.below(Program.keyCount), index + 1 + random.below(count))
            parts.insert(part, at: random.below(parts.count + 1))
        }
    }
}

/// Chooses steps; it tracks the scopes as far as a good choice needs.
private struct StepMaker {
    let features: Program.Features
    var random: Seeded
    private var scopes: [Int]
    private var made = 1
    private var number: UInt64 = 0

    init(features: Program.Features, random: Seeded) {
        self.features = features
        self.random = random
        scopes = features.contains(.global) ? [0] : []
    }

    mutating func next() -> Program.Step {
        number += 1
        if scopes.isEmpty || scopes.count < 5 && random.once(in: scopes.count < 3 ? 3 : 10) { return make() }
        let key = random.below(Program.keyCount)
        let scope = scopes[random.below(scopes.count)]
        switch random.below(24) {
        case 0...6:
            return .set(key, in: scope, number)
        case 7...11:
            let recipe = Recipe(random: &random, above: key, capturing: scopes, features)
            return .provide(key, in: scope, recipe, salt: number)
        case 12...14:
            return .remove(key, in: scope)
        case 15:
            return .removeAll(in: scope)
        case 16, 17:
            return .move(scope, to: parent())
        case 18 where features.contains(.global):
            return .replaceGlobal(by: scope)
        case 19 where features.contains(.closing) && random.once(in: 3):
            return .close(scope)
        case 20 where scopes.count > 2:
            scopes.removeAll { $0 == scope }
            return .drop(scope)
        case 21...23 where features.contains(.aliases):
            return alias(key, in: scope)
        default:
            return .set(key, in: scope, number)
        }
    }

    private mutating func alias(_ key: Int, in scope: Int) -> Program.Step {
        guard features.contains(.capturing) else { return .alias(key, to: random.below(Program.keyCount), in: scope) }
        let first = min(key, Program.keyCount - 2)
        return .alias(first, to: first + 1 + random.below(Program.keyCount - first - 1), in: scope)
    }

    private mutating func make() -> Program.Step {
        let parent = parent()
        let policy: DefaultsPolicy? =
            features.contains(.policies) && random.once(in: 3) ? (random.once(in: 2) ? .forbidden : .allowed) : nil
        defer {
            scopes.append(made)
            made += 1
        }
        return .make(made, parent, policy)
    }

    private mutating func parent() -> Program.Parent {
        if features.contains(.global), random.once(in: 3) { return .global }
        return scopes.isEmpty || random.once(in: 8) ? .none : .scope(scopes[random.below(scopes.count)])
    }
}
