import ScopedInjection

/// A role, whose name is seen in a program.
enum Role: Sendable {
    case application, request

    var scopeRole: ScopeRole { self == .application ? .application : .request }
}

/// The values of random programs: each reads only those before it, so that there is no cycle.
enum Numbered {
    static let count = 10
    static let required = 0
    static let constant = 1
    /// Those that stay, and the roles of the scopes in which they do.
    static let once: [Int: Role] = [3: .application, 4: .request, 7: .request]
    static let transient = 5
    /// Those that no policy concerns.
    static let safe: Set = [required, constant, 6]
    static let constantProduct = Numeral(7)

    /// What builders have to know of the program that runs.
    struct World: Sendable {
        /// The recipes of the values' own builders; each program sets them before its first read.
        var recipes: [Recipe] = []
        /// Where the values that scopes read are kept; empty if nobody has to know.
        var homes: [Int: [ValueInScope?]] = [:]
        /// Is called with a value when its builder begins, and when it ends.
        var pass: @Sendable (_ value: Int, _ isEnd: Bool) -> Void = { _, _ in }
    }

    @TaskLocal static var world = World()

    static let all = (0..<count).map { numeral($0) }

    private static func numeral(_ number: Int) -> ScopeValue<Numeral> {
        switch number {
        case required: .required(id: number)
        case constant: .value(constantProduct, isSafeInTests: true, id: number)
        default:
            .lazy(lifetime(of: number), isSafeInTests: safe.contains(number), id: number) {
                try build(number, world.recipes[number], $0)
            }
        }
    }

    private static func lifetime(of number: Int) -> ValueLifetime {
        if number == transient { return .transient }
        return once[number].map { .once(in: $0.scopeRole) } ?? .shared
    }

    static func build(
        _ value: Int,
        _ recipe: Recipe,
        _ reader: ScopeReader,
        over inherited: Numeral? = nil
    ) throws -> Numeral {
        let (birth, place) = (Numeral.now(), EnvironmentScope.forLogging.name)
        var parts = inherited.map { [$0] } ?? []
        world.pass(value, false)
        let number = recipe.run(
            from: inherited?.number ?? 0,
            current: { Int(EnvironmentScope.current.name ?? "") ?? -1 }
        ) { other in
            do {
                let part = try reader[all[other]]
                if let home = home(of: other) { part.home.value = home }
                parts.append(part)
                return part.number
            } catch {
                // What a builder has read that failed counts for who called it.
                let reason = (error as? ScopeError)?.underlyingError as? RecipeFailed
                parts += reason?.parts ?? []
                return nil
            }
        }
        // What another decoration of the same scope gave is a part of this very value.
        if let inherited, inherited.value == value, inherited.place == place { parts += inherited.parts }
        guard let number else { throw RecipeFailed(parts: parts) }
        world.pass(value, true)
        return Numeral(number, of: value, birth: birth, in: place, from: parts)
    }

    /// Where a value is kept that the running builder reads, if somebody has to know.
    private static func home(of value: Int) -> ValueInScope? {
        if world.homes.isEmpty { return nil }
        return EnvironmentScope.forLogging.name.flatMap { Int($0) }.flatMap { world.homes[$0] }?[value]
    }
}
