import ScopedInjection

extension Program {
    /// How many values a program may declare.
    static let mostValues = 72

    /// What programs use besides values, builders and new parents.
    struct Features: OptionSet, Sendable {
        let rawValue: Int
        static let aliases = Features(rawValue: 1)
        static let policies = Features(rawValue: 2)
        /// Other scopes become the global one, which belongs to the whole process.
        static let global = Features(rawValue: 4)
        static let closing = Features(rawValue: 8)
        static let decorations = Features(rawValue: 16)
        /// Cleanups of values; scopes are then closed before they go.
        static let cleanups = Features(rawValue: 32)
        /// More values than there are bits in a mask.
        static let manyValues = Features(rawValue: 64)
        /// Builders that need themselves.
        static let cycles = Features(rawValue: 128)

        var count: Int { contains(.manyValues) ? Program.mostValues : 8 }
    }

    /// A random program, which is the same for the same seed and features.
    init(seed: UInt64, _ features: Features, length: Int = 30) {
        var random = Seeded(seed)
        self.seed = seed
        reads = features.contains(.manyValues) ? .some : [.all, .all, .shuffled, .some][random.below(4)]
        values = Self.declarations(&random, features)
        usesGlobal = features.contains(.global)
        steps = []
        var maker = StepMaker(features, random)
        for _ in 0..<length { steps.append(maker.next()) }
    }

    static func declarations(_ random: inout Seeded, _ features: Features) -> [Declaration] {
        (0..<features.count).map { Declaration(&random, $0, features) }
    }
}

extension Program.Declaration {
    fileprivate init(_ random: inout Seeded, _ index: Int, _ features: Program.Features) {
        // Few kinds for each value, so that most programs of a process have a bit for each of their values.
        let lifetimes: [ValueLifetime] = [.shared, index % 3 == 1 ? .scoped : index % 3 == 2 ? .transient : .shared]
        kind.lifetime = lifetimes[random.below(2)]
        if index % 4 == 3, random.once(in: 2) {
            kind = Program.Kind(form: [.constant, .required, .optional][index / 4 % 3])
        }
        switch index % 5 {
        case 0: kind.isSafe = true
        case 1, 2: kind.hasTestValue = kind.form != .optional
        default: break
        }
        if kind.form == .optional || kind.form == .required { kind.isSafe = !kind.hasTestValue }
        recipe = Recipe(&random, above: index, features)
        recipe.salt = 1_000 + UInt64(index)
        if kind.lifetime == .scoped, kind.form == .lazy, random.once(in: 4) { recipe.parts.append(.current) }
    }
}

extension Recipe {
    /// Reads values with greater numbers; with cycles, seldom any other.
    init(_ random: inout Seeded, above index: Int, _ features: Program.Features) {
        self.init(salt: random.next() % 1_000_000)
        let count = features.count
        func other() -> Int? {
            if features.contains(.cycles), random.once(in: 16) { return random.below(count) }
            return index + 1 < count ? index + 1 + random.below(min(9, count - index - 1)) : nil
        }
        for _ in 0..<random.below(features.contains(.manyValues) ? 5 : 3) {
            guard let one = other(), let two = other(), let three = other() else { continue }
            switch random.below(10) {
            case 0...2: parts.append(.read(one))
            case 3: parts.append(.refer(one))
            case 4, 5: parts.append(.attempt(one))
            case 6, 7: parts.append(.either(one, two, three))
            case 8: parts.append(.ifAny(one))
            default: parts.append(.refuse(one))
            }
        }
        // What was built from a value without cleanups may stay when the scope that kept the value is closed.
        cleansUp = features.contains(.closing) || features.contains(.cleanups) && random.once(in: 3)
    }
}

/// Chooses steps; it tracks the scopes as far as a good choice needs.
struct StepMaker {
    private let features: Program.Features
    private var random: Seeded
    private var scopes: [Int]
    private var made = 1
    private var number: UInt64 = 0

    init(_ features: Program.Features, _ random: Seeded) {
        self.features = features
        self.random = random
        scopes = features.contains(.global) ? [0] : []
    }

    mutating func next() -> Program.Step {
        if scopes.isEmpty || scopes.count < 5 && random.once(in: scopes.count < 3 ? 3 : 10) { return make() }
        let scope = scopes[random.below(scopes.count)]
        switch random.below(24) {
        case 0, 1:
            return .move(scope, to: parent())
        case 2 where features.contains(.global):
            return .replaceGlobal(by: scope)
        case 3 where features.contains(.closing) && random.once(in: 3):
            return .close(scope)
        case 4 where scopes.count > 2:
            if features.contains(.cleanups), random.once(in: 2) { return .close(scope) }
            scopes.removeAll { $0 == scope }
            return .drop(scope)
        case 5 where random.once(in: 2):
            return .discard(in: scope)
        default:
            number += 1
            return .change(&random, in: scope, number, features)
        }
    }

    private mutating func make() -> Program.Step {
        let parent = parent()
        defer {
            scopes.append(made)
            made += 1
        }
        return .make(made, parent, .random(&random, features))
    }

    private mutating func parent() -> Program.Parent {
        if features.contains(.global), random.once(in: 3) { return .global }
        return scopes.isEmpty || random.once(in: 8) ? .none : .scope(scopes[random.below(scopes.count)])
    }
}

extension Program.Step {
    /// A random change of what a scope says.
    static func change(_ random: inout Seeded, in scope: Int, _ number: UInt64, _ features: Program.Features) -> Self {
        let value = random.below(features.count)
        switch random.below(18) {
        case 0...5: return .set(value, in: scope, random.once(in: 12) ? 0 : number)  // nil
        case 6...9: return .provide(value, in: scope, Recipe(&random, above: value, features))
        case 10...12: return .remove(value, in: scope)
        case 13: return random.once(in: 2) ? .removeAll(in: scope) : .set(value, in: scope, number)
        case 14...15 where features.contains(.aliases):
            return .alias(value, to: target(&random, of: value, features), in: scope)
        case 16...17 where features.contains(.decorations):
            return .decorate(value, in: scope, Recipe(&random, above: value, features))
        default: return .set(value, in: scope, number)
        }
    }

    /// Without cycles, aliases lead to greater numbers too.
    private static func target(_ random: inout Seeded, of value: Int, _ features: Program.Features) -> Int {
        if features.contains(.cycles) || value + 1 >= features.count { return random.below(features.count) }
        return value + 1 + random.below(features.count - value - 1)
    }
}

extension DefaultsPolicy {
    static func random(_ random: inout Seeded, _ features: Program.Features) -> DefaultsPolicy? {
        guard features.contains(.policies), random.once(in: 2) else { return nil }
        return [.forbidden, .allowed, .reported][random.below(3)]
    }
}
