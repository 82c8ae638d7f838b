import ScopedInjection

/// What a builder does: it reads other values in turn, and mixes them to a number.
struct Recipe: Sendable {
    enum Step: Sendable {
        /// Reads a value; its error passes on.
        case read(Int)
        /// Reads a value, and swallows its error.
        case tryRead(Int)
        /// Reads the first; if that is odd, the second.
        case branch(Int, Int)
        /// Throws if the value is divisible by 3.
        case fail(Int)
        /// Mixes in the name of the current scope, which only a scoped value has.
        case current
    }

    var seed: Int
    var steps: [Step]

    /// Carries out the steps; `read` gives the value of a number.
    func run(from start: Int, current: () -> Int, _ read: (Int) throws -> Int) throws -> Int {
        var mixed = seed &+ start
        func mix(_ number: Int) { mixed = (mixed &* 31 &+ number) & 0xFFFF_FFFF }
        for step in steps {
            switch step {
            case .read(let other): mix(try read(other))
            case .tryRead(let other): mix((try? read(other)) ?? -1)
            case .branch(let first, let second):
                let value = try read(first)
                mix(value)
                if value & 1 == 1 { mix(try read(second)) }
            case .fail(let other): if try read(other) % 3 == 0 { throw RecipeFailed() }
            case .current: mix(current())
            }
        }
        return mixed
    }
}

struct RecipeFailed: Error {}

/// A built value, whose identity tells which scopes share it.
final class Numeral: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

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

    /// The recipes of the values' own builders in the program that runs; each program sets them before its first read.
    @TaskLocal static var recipes: [Recipe] = []

    static let all = (0..<count).map { numeral($0) }

    private static func numeral(_ number: Int) -> ScopeValue<Numeral> {
        switch number {
        case required: .required(id: number)
        case constant: .value(constantProduct, isSafeInTests: true, id: number)
        case scoped: .lazy(.scoped, id: number) { try build(recipes[number], $0) }
        case transient: .lazy(.transient, id: number) { try build(recipes[number], $0) }
        default: .lazy(isSafeInTests: safe.contains(number), id: number) { try build(recipes[number], $0) }
        }
    }

    static func build(_ recipe: Recipe, _ reader: ScopeReader, from start: Int = 0) throws -> Numeral {
        let current = { Int(EnvironmentScope.current.name ?? "") ?? -1 }
        return Numeral(try recipe.run(from: start, current: current) { try reader[all[$0]].number })
    }
}
