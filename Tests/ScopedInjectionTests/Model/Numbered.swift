import ScopedInjection

/// The values of random programs: each reads only those before it, so that there is no cycle.
enum Numbered {
    static let count = 8
    static let required = 0
    static let constant = 1
    static let scoped = 4
    static let transient = 5
    /// Those that no policy concerns.
    static let safe: Set = [required, constant, 6]
    static let constantProduct = Numeral(7)

    /// What builders have to know of the program that runs.
    struct World: Sendable {
        /// The recipes of the values' own builders; each program sets them before its first read.
        var recipes: [Recipe] = []
        /// Where the values that a scope reads are kept, by scope and value; empty if nobody has to know.
        var homes: [[ValueInScope?]] = []
        /// Is called with a value when its builder begins, and when it ends.
        var pass: @Sendable (_ value: Int, _ isEnd: Bool) -> Void = { _, _ in }
    }

    @TaskLocal static var world = World()

    /// What the builder that runs has read; what one that failed has read is read by the one that called it.
    @TaskLocal private static var parts: Box<[Numeral]>?

    static let all = (0..<count).map { numeral($0) }

    private static func numeral(_ number: Int) -> ScopeValue<Numeral> {
        switch number {
        case required: .required(id: number)
        case constant: .value(constantProduct, isSafeInTests: true, id: number)
        case scoped: .lazy(.scoped, id: number) { try build(number, world.recipes[number], $0) }
        case transient: .lazy(.transient, id: number) { try build(number, world.recipes[number], $0) }
        default:
            .lazy(isSafeInTests: safe.contains(number), id: number) { try build(number, world.recipes[number], $0) }
        }
    }

    static func build(
        _ value: Int,
        _ recipe: Recipe,
        _ reader: ScopeReader,
        over inherited: Numeral? = nil
    ) throws -> Numeral {
        let (birth, own) = (Numeral.now(), Box(inherited.map { [$0] } ?? []))
        world.pass(value, false)
        do {
            let current = { Int(EnvironmentScope.current.name ?? "") ?? -1 }
            let number = try $parts.withValue(own) {
                try recipe.run(from: inherited?.number ?? 0, current: current) { other in
                    let part = try reader[all[other]]
                    if let asking = Int(EnvironmentScope.forLogging.name ?? ""), world.homes.indices.contains(asking),
                        let home = world.homes[asking][other]
                    {
                        part.home.value = home
                    }
                    own.update { $0.append(part) }
                    return part.number
                }
            }
            world.pass(value, true)
            return Numeral(number, birth: birth, from: own.value)
        } catch {
            let read = own.value
            parts?.update { $0 += read }
            throw error
        }
    }
}
