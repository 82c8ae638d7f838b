import ScopedInjection

extension Program {
    private typealias Change = (inout Program) -> Void

    /// A program that fails as well, from which nothing can be left out.
    func shrunk(_ isFailing: (Program) async -> Bool) async -> Program {
        var program = self
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            var size = max(program.steps.count / 2, 1)
            while size >= 1 {
                var start = 0
                while start < program.steps.count {
                    var smaller = program
                    smaller.steps.removeSubrange(start..<min(start + size, program.steps.count))
                    if await isFailing(smaller) {
                        program = smaller
                        hasChanged = true
                    } else {
                        start += size
                    }
                }
                size /= 2
            }
            for change in program.simplifications {
                var smaller = program
                change(&smaller)
                if smaller.description != program.description, await isFailing(smaller) {
                    program = smaller
                    hasChanged = true
                }
            }
        }
        return program
    }

    /// Ways to leave something out of a declaration or a step; the last part of a recipe first.
    private var simplifications: [Change] {
        var changes: [Change] = []
        for value in values.indices {
            for part in values[value].recipe.parts.indices.reversed() {
                changes.append { $0.values[value].recipe.remove(part) }
            }
            changes.append { $0.values[value].recipe.cleansUp = false }
            changes.append { $0.values[value].kind = Kind() }
        }
        for step in steps.indices {
            if let recipe = steps[step].recipe {
                for part in recipe.parts.indices.reversed() { changes.append { $0.steps[step].recipe?.remove(part) } }
                changes.append { $0.steps[step].recipe?.cleansUp = false }
            }
            if case .make(let scope, let parent, _?) = steps[step] {
                changes.append { $0.steps[step] = .make(scope, parent, nil) }
            }
        }
        return changes
    }
}

extension Recipe {
    fileprivate mutating func remove(_ part: Int) {
        guard part < parts.count else { return }
        if case .either(_, let first, _) = parts[part] {
            parts[part] = .read(first)
        } else {
            parts.remove(at: part)
        }
    }
}

extension Program.Step {
    /// The builder that it provides.
    fileprivate var recipe: Recipe? {
        get {
            switch self {
            case .provide(_, _, let recipe), .decorate(_, _, let recipe): recipe
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            switch self {
            case .provide(let value, let scope, _): self = .provide(value, in: scope, newValue)
            case .decorate(let value, let scope, _): self = .decorate(value, in: scope, newValue)
            default: break
            }
        }
    }
}
