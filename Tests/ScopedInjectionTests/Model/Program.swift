import ScopedInjection

/// What a builder does: which values it reads, in order, and how it combines them.
struct Recipe: Sendable {
    enum Part: Sendable {
        /// Reads a value; if that fails, so does the build.
        case read(Int)
        /// Reads a value through a reference without a scope of its own.
        case refer(Int)
        /// Reads a value; the build goes on if that fails.
        case attempt(Int)
        /// Reads the first value, and then the second or the third, depending on it.
        case either(Int, Int, Int)
        /// Reads a value, and throws for one in five.
        case refuse(Int)
        /// Reads a value that may be missing.
        case ifAny(Int)
        /// Asks for the current scope; for declarations of scoped values.
        case current
    }

    /// A read that a builder makes.
    enum Read {
        case value(Int), reference(Int), ifAny(Int), current
    }

    /// Tells recipes from each other that read the same.
    var salt: UInt64
    var parts: [Part] = []
    /// Whether it registers a cleanup.
    var cleansUp = false

    /// The number of what is built.
    func value<Failure: Error>(
        _ inherited: UInt64? = nil,
        unlucky: @autoclosure () -> Failure,
        read: (Read) throws(Failure) -> UInt64
    ) throws(Failure) -> UInt64 {
        var value = mixed(salt ^ (inherited.map { mixed($0) } ?? 0))
        func add(_ number: UInt64) { value = mixed(value ^ number) }
        for part in parts {
            switch part {
            case .read(let other): add(try read(.value(other)))
            case .refer(let other): add(try read(.reference(other)))
            case .attempt(let other):
                var number: UInt64 = 1
                do throws(Failure) { number = try read(.value(other)) } catch {}
                add(number)
            case .either(let condition, let first, let second):
                add(try read(.value(try read(.value(condition)) % 2 == 0 ? first : second)))
            case .refuse(let other):
                let number = try read(.value(other))
                if number % 5 == 0 { throw unlucky() }
                add(number)
            case .ifAny(let other): add(try read(.ifAny(other)))
            case .current: add(try read(.current))
            }
        }
        return value
    }
}

/// Spreads the bits of a number.
func mixed(_ number: UInt64) -> UInt64 {
    var z = number &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
}

/// A small random generator, which its seed determines.
struct Seeded: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = mixed(seed) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return mixed(state)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// True once in `times` on average.
    mutating func once(in times: Int) -> Bool { below(times) == 0 }
}

/// Declarations of values, and steps that change a tree of scopes.
///
/// Values have the numbers of their declarations, scopes those that they were made with; 0 is the scope that is global at
/// the start. A step that makes no sense is skipped, so a program from which steps are removed is still a program.
struct Program: Sendable {
    /// How a value is declared.
    struct Kind: Hashable, Sendable {
        enum Form: Hashable, Sendable { case lazy, constant, required, optional }
        var form = Form.lazy
        var lifetime = ValueLifetime.shared
        var isSafe = false
        var hasTestValue = false
    }

    struct Declaration: Sendable {
        var kind = Kind()
        var recipe: Recipe
    }

    enum Parent: Sendable, Equatable {
        case none, global
        case scope(Int)
    }

    enum Step: Sendable {
        case make(Int, Parent, DefaultsPolicy?)
        case set(Int, in: Int, UInt64)
        case provide(Int, in: Int, Recipe)
        case decorate(Int, in: Int, Recipe)
        case remove(Int, in: Int)
        case removeAll(in: Int)
        case alias(Int, to: Int, in: Int)
        case move(Int, to: Parent)
        case replaceGlobal(by: Int)
        case discard(in: Int)
        case close(Int)
        case drop(Int)
    }

    /// The reads after each step.
    enum Reads: Sendable {
        /// Every value in every scope, outer scopes before inner ones, or in any order.
        case all, shuffled
        /// Some values in some scopes, so that different ones are there already.
        case some
    }

    var seed: UInt64 = 0
    var reads = Reads.all
    /// Whether the program needs the global scope, and so a process, for itself.
    var usesGlobal = false
    var values: [Declaration]
    var steps: [Step]
}

// MARK: - As text

extension Program: CustomStringConvertible {
    /// Leaves out the declarations of values that are `lazy { }`.
    var description: String {
        let plain = "\(Declaration(recipe: Recipe(salt: 0)))"
        let declarations = values.enumerated().map { (number: $0, text: "\($1)") }.filter { $0.text != plain }
        return """
            seed \(seed), reads \(reads)\(usesGlobal ? ", scope 0 is global" : "")
            \(declarations.map { "  value \($0.number): \($0.text)\n" }.joined())\
            \(steps.map { "  \($0)\n" }.joined())
            """
    }
}

extension Program.Declaration: CustomStringConvertible {
    var description: String {
        let safe = kind.isSafe ? ", safe in tests" : kind.hasTestValue ? ", with a test value" : ""
        return "\(kind.form)\(kind.lifetime == .shared ? "" : " \(kind.lifetime)")\(safe) \(recipe)"
    }
}

extension Recipe: CustomStringConvertible {
    var description: String {
        "{ \(parts.map { "\($0)" }.joined(separator: "; "))\(cleansUp ? "; onClose" : "") }"
    }
}

extension Program.Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .make(let scope, let parent, let policy):
            "scope \(scope) = make(parent: \(parent)\(policy.map { ", defaults: \($0)" } ?? ""))"
        case .set(let value, let scope, let number): "scope \(scope).set value \(value) = \(number)"
        case .provide(let value, let scope, let recipe): "scope \(scope).provide value \(value) \(recipe)"
        case .decorate(let value, let scope, let recipe): "scope \(scope).decorate value \(value) \(recipe)"
        case .remove(let value, let scope): "scope \(scope).remove value \(value)"
        case .removeAll(let scope): "scope \(scope).removeAll"
        case .alias(let value, let target, let scope): "scope \(scope).alias value \(value) to \(target)"
        case .move(let scope, let parent): "scope \(scope).parent = \(parent)"
        case .replaceGlobal(let scope): "global = scope \(scope)"
        case .discard(let scope): "scope \(scope).discardBuiltValues"
        case .close(let scope): "scope \(scope).close"
        case .drop(let scope): "drop scope \(scope)"
        }
    }
}
