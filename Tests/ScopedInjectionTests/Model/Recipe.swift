/// What a builder does: it reads other values in turn, and mixes them to a number.
struct Recipe: Sendable {
    enum Step: Sendable {
        /// Reads a value; its error passes on.
        case read(Int)
        /// Reads a value, and swallows its error.
        case tryRead(Int)
        /// Reads the first; if that is odd, the second.
        case branch(Int, Int)
        /// Fails if the value is divisible by 3.
        case fail(Int)
        /// Mixes in the name of the current scope, which only a value has that stays.
        case current
    }

    var seed: Int
    var steps: [Step]

    /// Carries out the steps.
    ///
    /// What fails gives nil, because errors that are thrown are slow in a test.
    ///
    /// - Parameter read: Gives what a value is.
    func run(from start: Int, current: () -> Int, _ read: (Int) -> Int?) -> Int? {
        var mixed = seed &+ start
        func mix(_ number: Int) { mixed = (mixed &* 31 &+ number) & 0xFFFF_FFFF }
        for step in steps {
            switch step {
            case .read(let other):
                guard let value = read(other) else { return nil }
                mix(value)
            case .tryRead(let other): mix(read(other) ?? -1)
            case .branch(let first, let second):
                guard let value = read(first) else { return nil }
                mix(value)
                if value & 1 == 0 { continue }
                guard let other = read(second) else { return nil }
                mix(other)
            case .fail(let other): guard let value = read(other), value % 3 != 0 else { return nil }
            case .current: mix(current())
            }
        }
        return mixed
    }
}

struct RecipeFailed: Error { let parts: [Numeral] }
