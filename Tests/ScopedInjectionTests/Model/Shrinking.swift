import ScopedInjection

extension Program {
    /// A program that still meets `isFailing`, from which no part can be removed.
    func shrunk(while isFailing: (Program) async -> Bool) async -> Program {
        var program = self
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            var size = max(1, program.steps.count / 2)
            while size > 0 {
                var start = 0
                while start < program.steps.count {
                    var candidate = program
                    candidate.steps.removeSubrange(start..<min(start + size, program.steps.count))
                    if await isFailing(candidate) {
                        program = candidate
                        hasChanged = true
                    } else {
                        start += size
                    }
                }
                size /= 2
            }
            for candidate in program.simplerKeys + program.simplerSteps {
                guard let smaller = candidate(program), await isFailing(smaller) else { continue }
                program = smaller
                hasChanged = true
            }
        }
        return program
    }

    private typealias Change = (Program) -> Program?

    private var simplerKeys: [Change] {
        keys.indices.flatMap { key -> [Change] in
            let simplerRecipes: [Change] = keys[key].recipe.parts.indices.reversed().map { part in
                { program in
                    guard part < program.keys[key].recipe.parts.count else { return nil }
                    var program = program
                    program.keys[key].recipe.parts.remove(at: part)
                    return program
                }
            }
            let shared: Change = { program in
                guard program.keys[key].lifetime != .shared else { return nil }
                var program = program
                program.keys[key].lifetime = .shared
                return program
            }
            let ordinary: Change = { program in
                guard program.keys[key].isSafe || program.keys[key].isRequired else { return nil }
                var program = program
                program.keys[key].isSafe = false
                program.keys[key].isRequired = false
                return program
            }
            return [shared, ordinary] + simplerRecipes
        }
    }

    private var simplerSteps: [Change] {
        steps.indices.flatMap { step -> [Change] in
            switch steps[step] {
            case .provide(let key, let scope, let recipe, let salt):
                return recipe.parts.indices.map { part in
                    var recipe = recipe
                    recipe.parts.remove(at: part)
                    return Self.replacing(step, by: .provide(key, in: scope, recipe, salt: salt))
                }
            case .make(let scope, let parent, _?):
                return [Self.replacing(step, by: .make(scope, parent, nil))]
            default:
                return []
            }
        }
    }

    private static func replacing(_ step: Int, by other: Step) -> Change {
        { program in
            var program = program
            program.steps[step] = other
            return program
        }
    }
}
