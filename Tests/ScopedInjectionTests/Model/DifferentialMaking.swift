import ScopedInjection

// MARK: - Making schedules

/// Chooses what builders and steps do.
struct ScheduleMaker {
    var random: Seeded
    /// The number of keys.
    let count: Int
    var alive: [Int] = []
    var made = 0
    var number: UInt64 = 0

    mutating func schedule(length: Int) -> Schedule {
        var schedule = Schedule(recipes: (0..<count).map { recipe(of: $0, isProvided: false) })
        for _ in 0..<length { schedule.steps.append(step()) }
        return schedule
    }

    /// A key of a later group.
    private mutating func key(after key: Int) -> Int? {
        let first = key / 3 * 3 + 3
        guard first < count else { return nil }
        return first + random.below(random.once(in: 2) ? min(9, count - first) : count - first)
    }

    private mutating func pick(_ numbers: [Int]) -> Int { numbers[random.below(numbers.count)] }

    private mutating func recipe(of own: Int, isProvided: Bool, depth: Int = 0) -> Doings {
        number += 1
        var recipe = Doings(salt: TraceKeys.firstBuilder + number)
        recipe.keeps = [.nothing, .nothing, .nothing, .own, .made, .made][random.below(6)]
        for _ in 0..<[0, 1, 1, 1, 2, 2, 3][random.below(7)] {
            switch random.below(10) {
            case 0...5:
                if let path = path(own, isProvided) { recipe.parts.append(.read(path, isTried: random.once(in: 2))) }
            case 6:
                let last = count - 1 - random.below(6)
                if last / 3 > own / 3, let first = path(own, isProvided), let second = path(own, isProvided) {
                    recipe.parts.append(.either(last, first, second))
                }
            default:
                guard depth < 2, let key = key(after: own) else { continue }
                var deeds: [Doings.Deed] = [.make]
                for _ in 0...random.below(5) {
                    let key = random.once(in: 2) ? key : self.key(after: own) ?? key
                    switch random.below(9) {
                    case 0: deeds.append(.make)
                    case 8 where random.once(in: 2): deeds.append(.move(random.below(3), start(isProvided)))
                    case 8: deeds.append(.readElsewhere(random.below(3), key))
                    case 1...3: deeds.append(.change(random.below(3), change(key, depth: depth + 1)))
                    case 4: deeds.append(.read(random.below(3), key, ReadPath.Route.allCases[random.below(4)]))
                    default: deeds.append(.read(random.below(3), key, .value))
                    }
                }
                deeds.append(.read(0, key, .value))
                recipe.parts.append(.within(start(isProvided), deeds))
            }
        }
        return recipe
    }

    private mutating func start(_ isProvided: Bool) -> ReadPath.Start {
        switch random.below(8) {
        case 0: .current
        case 1: .parent
        case 2, 3: isProvided && !alive.isEmpty ? .captured(pick(alive)) : .own
        default: .own
        }
    }

    private mutating func path(_ own: Int, _ isProvided: Bool) -> ReadPath? {
        if own % 3 == 2, random.once(in: 6) {
            return random.once(in: 2) ? ReadPath(start: .parent, keys: [own]) : ReadPath(keys: [own], route: .inherited)
        }
        guard let first = key(after: own) else { return nil }
        var path = ReadPath(start: start(isProvided), keys: [first])
        if random.once(in: 3), let second = key(after: own) { path.keys.append(second) }
        if random.once(in: 4) { path.route = random.once(in: 2) ? .ifAny : .inherited }
        return path
    }

    private mutating func change(_ key: Int, depth: Int = 0) -> ScopeChange {
        number += 1
        switch random.below(12) {
        case 0...3: return .set(key, number)
        case 4...7: return .provide(key, recipe(of: key, isProvided: true, depth: depth))
        case 8, 9: return key % 3 == 2 ? .set(key, number) : .alias(key, key + 1 + random.below(2 - key % 3))
        default: return .remove(key)
        }
    }

    private mutating func step() -> Schedule.Step {
        if alive.count < 3 || alive.count < 6 && random.once(in: 12) {
            made += 1
            defer { alive.append(made) }
            let policy: DefaultsPolicy? = random.once(in: 8) ? (random.once(in: 2) ? .forbidden : .allowed) : nil
            return .make(made, alive.isEmpty || random.once(in: 5) ? nil : pick(alive), policy)
        }
        let scope = pick(alive)
        switch random.below(40) {
        case 0...13: return .change(scope, change(random.below(count)))
        case 14: return .move(scope, random.once(in: 5) ? nil : pick(alive))
        case 15: return random.once(in: 4) ? .close(scope) : .drop(scope)
        case 16, 17: return .drop(scope)
        case 18, 19: return .idle(scope, random.below(30))
        default:
            let first = random.below(count)
            let keys = random.once(in: 4) ? [first, random.below(count)] : [first]
            return .read(scope, keys, [.value, .value, .value, .ifAny, .inherited][random.below(5)])
        }
    }
}

// MARK: - Making them smaller

extension Doings {
    /// Leaves out one thing that the recipe does; `number` counts down to it.
    mutating func leaveOut(_ number: inout Int) {
        for index in parts.indices {
            number -= 1
            if number == 0 {
                parts.remove(at: index)
                return
            }
            guard case .within(let start, var deeds) = parts[index] else { continue }
            // Without the read at the end, nothing tells the library that the scope is needed.
            for deed in deeds.indices.dropFirst().dropLast() {
                number -= 1
                if number == 0 {
                    deeds.remove(at: deed)
                } else if case .change(let at, var change) = deeds[deed] {
                    change.leaveOut(&number)
                    deeds[deed] = .change(at, change)
                }
                if number <= 0 { break }
            }
            parts[index] = .within(start, deeds)
            if number <= 0 { return }
        }
        number -= keeps == .nothing ? 0 : 1
        if number == 0 { keeps = .nothing }
    }
}

extension ScopeChange {
    mutating func leaveOut(_ number: inout Int) {
        guard case .provide(let key, var recipe) = self else { return }
        recipe.leaveOut(&number)
        self = .provide(key, recipe)
    }
}

extension Schedule {
    private func leavingOut(_ number: Int) -> Schedule? {
        var (smaller, number) = (self, number)
        if number <= steps.count {
            smaller.steps.remove(at: steps.count - number)
            return smaller
        }
        number -= steps.count
        for index in steps.indices {
            guard number > 0, case .change(let scope, var change) = steps[index] else { continue }
            change.leaveOut(&number)
            smaller.steps[index] = .change(scope, change)
        }
        for index in recipes.indices where number > 0 { smaller.recipes[index].leaveOut(&number) }
        return number > 0 ? nil : smaller
    }

    func shrunk() async -> Schedule {
        var schedule = self
        for _ in 0..<3 {
            var number = 1
            while let smaller = schedule.leavingOut(number) {
                if await smaller.run()?.difference != nil { schedule = smaller } else { number += 1 }
            }
        }
        return schedule
    }
}

extension Schedule: CustomStringConvertible {
    var description: String {
        let used = recipes.enumerated().filter { !$1.parts.isEmpty || $1.keeps != .nothing }
        return (used.map { "\($0): \($1)" } + steps.map { "\($0)" }).joined(separator: "\n")
            .replacing("ScopedInjectionTests.", with: "")
    }
}
