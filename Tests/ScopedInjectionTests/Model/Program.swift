import ScopedInjection

/// A random program: steps on scopes that are numbered in the order in which they were made.
struct Program: Sendable {
    enum Step: Sendable {
        case make(under: Int?, DefaultsPolicy?)
        case set(Int, Int, Int)
        case remove(Int, Int)
        case removeAll(Int)
        case provide(Int, Int, Recipe)
        case decorate(Int, Int, Recipe)
        case alias(Int, Int, to: Int)
        case drop(Int)
        case close(Int)
        case discard(Int)
        case replaceGlobal(by: Int)
        case look(Int, Int)
        case read(Int, Int)
        /// Several threads read each of these values, each thread in another order.
        case readTogether([Read])
    }

    struct Read: Sendable {
        var scope: Int
        var value: Int
    }

    /// Whether the first scope is the global one.
    var isGlobal: Bool

    var recipes: [Recipe]
    var steps: [Step]

    init(seed: UInt64, length: Int, isGlobal: Bool = false) {
        self.isGlobal = isGlobal
        var random = Seeded(seed)
        recipes = (0..<Numbered.count).map { random.recipe(below: $0, isScoped: $0 == Numbered.scoped) }
        steps = [.make(under: nil, nil), .make(under: 0, nil)]
        var scopes = 2
        while steps.count < length {
            let (at, value) = (random.below(scopes), random.below(Numbered.count))
            switch random.below(28) {
            case 0, 1:
                guard scopes < 8 else { continue }
                // What is reported below the global scope would be an issue of the run.
                let policy: DefaultsPolicy? =
                    random.chance(20) ? [.allowed, .forbidden, isGlobal ? .allowed : .reported][random.below(3)] : nil
                steps.append(.make(under: random.chance(95) ? at : nil, policy))
                scopes += 1
            case 2...4: steps.append(.set(at, value, random.below(100)))
            case 5: steps.append(.remove(at, value))
            case 6, 7:
                steps.append(.provide(at, value, random.recipe(below: value, isScoped: value == Numbered.scoped)))
            case 10: if random.chance(15) { steps.append(.drop(at)) }
            case 11: if random.chance(20) { steps.append(.removeAll(at)) }
            case 12: steps.append(.look(at, value))
            case 13, 14:
                steps.append(.decorate(at, value, random.recipe(below: value, isScoped: value == Numbered.scoped)))
            case 15: if random.chance(15) { steps.append(.close(at)) }
            case 16: if random.chance(40) { steps.append(.discard(at)) }
            case 17: if isGlobal { steps.append(.replaceGlobal(by: at)) }
            case 18:
                let reads = (0..<6).map { _ in Read(scope: random.below(scopes), value: random.below(Numbered.count)) }
                steps.append(.readTogether(reads))
            default: steps.append(.read(at, value))
            }
        }
    }
}

extension Seeded {
    /// A recipe that reads only the values before one.
    fileprivate mutating func recipe(below value: Int, isScoped: Bool) -> Recipe {
        var steps: [Recipe.Step] = []
        for _ in 0..<(value == 0 ? 0 : below(4)) {
            let (one, two) = (below(value), below(value))
            switch below(10) {
            case 0...3: steps.append(.read(one))
            case 4, 5: steps.append(.tryRead(one))
            case 6, 7: steps.append(.branch(one, two))
            case 8: steps.append(.fail(one))
            default: steps.append(isScoped ? .current : .read(one))
            }
        }
        return Recipe(seed: below(50), steps: steps)
    }
}
