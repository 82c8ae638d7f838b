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
