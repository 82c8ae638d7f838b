import ScopedInjection

/// A value as a scope sees it, or as it keeps it.
struct ValueInScope: Hashable, Sendable, CustomStringConvertible {
    var scope: Int
    var value: Int
    var description: String { "\(scope).\(value)" }
}

/// A random program: steps on scopes that are numbered in the order in which they were made.
struct Program: Sendable {
    enum Step: Sendable {
        case make(under: Int?, DefaultsPolicy?, Role?)
        case set(Int, Int, Int)
        case remove(Int, Int)
        case provide(Int, Int, Recipe)
        case decorate(Int, Int, Recipe)
        case drop(Int)
        case close(Int)
        /// Discards; if it is compared, everything is read before and after.
        case discard(Discard, isCompared: Bool)
        /// Discards while builders run, and has another thread read meanwhile.
        case discardDuring(Discard, Stopped)
        /// Several threads read each of these values, each thread in another order, while another one discards.
        case discardAmid([ValueInScope], [Discard])
        case replaceGlobal(by: Int)
        /// Changes of one scope at once, with what is built anew.
        case update(Int, [Change], renewed: [Int])
        case look(Int, Int)
        case read(Int, Int)
        /// Several threads read each of these values, each thread in another order.
        case readTogether([ValueInScope])
    }

    /// A change of a value in the closure of an update.
    enum Change: Sendable {
        case set(Int, Int)
        /// Sets what the scope has set.
        case again(Int)
        case remove(Int)
        case provide(Int, Recipe)
        case decorate(Int, Recipe)
        /// Makes a scope below that of the update.
        case make(Role?)
        /// Reads in the scope of the update, or in one that is made later than all before it.
        case read(Int?, Int)
        /// Another thread reads in the scope itself.
        case readElsewhere(Int)
        /// Throws an error of the closure's own.
        case fail
    }

    /// Of one value that a scope keeps, or of all.
    struct Discard: Sendable {
        var scope: Int
        var value: Int?
    }

    /// A read that stops where a builder of a value begins or ends, so many times.
    struct Stopped: Sendable {
        var read: ValueInScope
        /// What another thread reads at each stop.
        var other: ValueInScope
        var value: Int
        var isAtEnd: Bool
        var times: Int
    }

    /// Whether the first scope is the global one.
    var isGlobal: Bool
    /// Whether scopes have roles; without them nothing stays.
    var hasRoles = true

    var recipes: [Recipe]
    var steps: [Step]

    init(isGlobal: Bool = false, recipes: [Recipe], _ steps: [Step]) {
        (self.isGlobal, self.recipes, self.steps) = (isGlobal, recipes, steps)
    }

    init(seed: UInt64, length: Int, isGlobal: Bool = false, hasRoles: Bool = true) {
        self.isGlobal = isGlobal
        var random = Seeded(seed)
        let hasRoles = hasRoles && random.chance(70)
        self.hasRoles = hasRoles
        recipes = (0..<Numbered.count).map { random.recipe(below: $0) }
        func role(_ odds: Int) -> Role? {
            guard hasRoles, random.chance(odds) else { return nil }
            return [.application, .request, .request][random.below(3)]
        }
        steps = [
            .make(under: nil, nil, hasRoles && !isGlobal && random.chance(50) ? .application : nil),
            .make(under: 0, nil, role(60)),
        ]
        // Every third program discards, and has more of what lies between a value and what was built from it.
        let discards = random.chance(33)
        if discards, random.chance(70) { steps.append(.set(0, Numbered.required, random.below(100))) }
        var scopes = 2
        while steps.count < length {
            let (at, value) = (random.below(scopes), random.below(Numbered.count))
            switch random.below(discards ? 38 : 28) {
            case 0, 1:
                guard scopes < 8 else { continue }
                // What is reported below the global scope would be an issue of the run.
                let policy: DefaultsPolicy? =
                    random.chance(20) ? [.allowed, .forbidden, isGlobal ? .allowed : .reported][random.below(3)] : nil
                steps.append(.make(under: random.chance(95) ? at : nil, policy, role(50)))
                scopes += 1
            case 2...4: steps.append(.set(at, value, random.below(100)))
            case 5: steps.append(.remove(at, value))
            case 6...8: steps.append(.provide(at, value, random.recipe(below: value)))
            case 9, 10: if random.chance(8) { steps.append(.drop(at)) }
            case 12: steps.append(.look(at, value))
            case 13, 14: steps.append(.decorate(at, value, random.recipe(below: value)))
            case 15: if random.chance(15) { steps.append(.close(at)) }
            case 16: if isGlobal { steps.append(.replaceGlobal(by: at)) }
            case 17: steps.append(.readTogether(random.places(6, scopes)))
            case 18...20:
                var changes = (0..<(random.below(4) + random.below(2))).map { _ in random.change() }
                if random.chance(25) { changes = (0..<3).map { _ in .again(random.below(Numbered.count)) } }
                if scopes < 8, random.chance(25) {
                    changes.insert(
                        .make(hasRoles && random.chance(50) ? .request : nil),
                        at: random.below(changes.count + 1)
                    )
                    changes.append(.read(scopes, random.below(Numbered.count)))
                    scopes += 1
                }
                let renewed = random.chance(30) ? [random.below(Numbered.count)] : []
                steps.append(.update(at, changes, renewed: renewed))
            case 28:
                steps.append(.provide(at, max(value, 4), Recipe(seed: 0, steps: [.read(random.input())])))
            case 29...32:
                let (inner, input) = (1 + random.below(scopes - 1), random.input())
                steps.append(.decorate(inner, input, random.recipe(below: input)))
            case 33...35: steps.append(.discard(random.discard(scopes), isCompared: random.chance(70)))
            case 36:
                let discard = random.discard(scopes)
                let stopped = Stopped(
                    read: ValueInScope(scope: at, value: value),
                    other: ValueInScope(scope: random.below(scopes), value: random.below(Numbered.count)),
                    value: discard.value ?? random.input(),
                    isAtEnd: random.chance(50),
                    times: random.chance(50) ? 1 : 9
                )
                steps.append(.discardDuring(discard, stopped))
            case 37:
                let discards = (0..<4).map { _ in random.discard(scopes) }
                steps.append(.discardAmid(random.places(6, scopes), discards))
            default: steps.append(.read(at, value))
            }
        }
    }
}

extension Seeded {
    /// A recipe that reads only the values before one.
    fileprivate mutating func recipe(below value: Int) -> Recipe {
        var steps: [Recipe.Step] = []
        for _ in 0..<(value == 0 ? 0 : below(4)) {
            let (one, two) = (below(value), below(value))
            switch below(10) {
            case 0...3: steps.append(.read(one))
            case 4, 5: steps.append(.tryRead(one))
            case 6, 7: steps.append(.branch(one, two))
            case 8: steps.append(.fail(one))
            default: steps.append(Numbered.once[value] != nil ? .current : .read(one))
            }
        }
        return Recipe(seed: below(50), steps: steps)
    }

    fileprivate mutating func change() -> Program.Change {
        let value = below(Numbered.count)
        return switch below(40) {
        case 0...11: .set(value, below(100))
        case 12...19: .provide(value, recipe(below: value))
        case 20...23: .again(value)
        case 24...27: .readElsewhere(value)
        case 28: .fail
        case 29: .remove(value)
        case 30: .decorate(value, recipe(below: value))
        default: .read(nil, value)
        }
    }

    fileprivate mutating func places(_ count: Int, _ scopes: Int) -> [ValueInScope] {
        (0..<count).map { _ in ValueInScope(scope: below(scopes), value: below(Numbered.count)) }
    }

    /// A value from which many are built.
    fileprivate mutating func input() -> Int { 2 + below(2) }

    /// Often of what the first scope keeps, where most is kept.
    fileprivate mutating func discard(_ scopes: Int) -> Program.Discard {
        Program.Discard(
            scope: chance(50) ? 0 : below(scopes),
            value: chance(80) ? chance(60) ? input() : below(Numbered.count) : nil
        )
    }
}
