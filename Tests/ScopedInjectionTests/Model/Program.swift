import ScopedInjection

/// A recipe of a builder: which keys it reads, in order, and how it combines them.
struct Recipe: Sendable {
    enum Part: Sendable {
        /// Reads a key; if that fails, so does the build.
        case read(Int)
        /// Reads a key; the build goes on if that fails.
        case attempt(Int)
        /// Reads the first key, and then the second or the third, depending on its value.
        case either(Int, Int, Int)
        /// Reads a key, and throws for one value in five.
        case refuse(Int)
        /// Reads a key that may be missing.
        case ifAny(Int)
        /// Reads a key through a scope; the build goes on if that fails.
        case through(Int, Int)
        /// Reads the inherited value of the provided key; if that fails, so does the build.
        case inherited
        /// Reads the inherited value of the provided key; the build goes on if that fails.
        case attemptInherited
        /// Reads what a key of its own gives past the scope that the builder was provided in, and does without where that
        /// fails.
        case attemptPast(Int)
        /// Asks a scope whether it is closed, and for its parent.
        case ask(Int)
        /// Asks for the parent of the scope that the builder is given.
        case askParent
        /// Makes a scope that overrides the first key, and reads the second one there; the build goes on if that fails.
        case within(Int, Int)
    }

    /// A read that a builder makes.
    enum Read {
        case key(Int)
        case ifAny(Int)
        case through(Int, Int)
        case inherited
        case past(Int)
        case ask(Int)
        case askParent
        case within(Int, Int)
    }

    /// The value that a builder sets in a scope that it makes.
    static let madeValue: UInt64 = 77

    var parts: [Part] = []

    /// The value; `salt` distinguishes recipes that read the same inputs.
    func value<Failure: Error>(
        salt: UInt64,
        unlucky: @autoclosure () -> Failure,
        read: (Read) throws(Failure) -> UInt64?
    ) throws(Failure) -> UInt64 {
        var value = mixed(salt)
        func attempt(_ what: Read) {
            do throws(Failure) {
                value = mixed(value ^ (try read(what) ?? 0))
            } catch {
                value = mixed(value)
            }
        }
        for part in parts {
            switch part {
            case .read(let key): value = mixed(value ^ (try read(.key(key)) ?? 0))
            case .attempt(let key): attempt(.key(key))
            case .either(let condition, let first, let second):
                let isFirst = (try read(.key(condition)) ?? 0) % 2 == 0
                value = mixed(value ^ (try read(.key(isFirst ? first : second)) ?? 0))
            case .refuse(let key):
                let input = try read(.key(key)) ?? 0
                if input % 5 == 0 { throw unlucky() }
                value = mixed(value ^ input)
            case .ifAny(let key): value = mixed(value ^ (try read(.ifAny(key)) ?? 1))
            case .through(let scope, let key): attempt(.through(scope, key))
            case .inherited: value = mixed(value ^ (try read(.inherited) ?? 0))
            case .attemptInherited: attempt(.inherited)
            case .attemptPast(let key): attempt(.past(key))
            case .ask(let scope): value = mixed(value ^ (try read(.ask(scope)) ?? 0))
            case .askParent: value = mixed(value ^ (try read(.askParent) ?? 0))
            case .within(let overridden, let key): attempt(.within(overridden, key))
            }
        }
        return value
    }

    /// The scopes that the recipe reads through, or asks.
    var captured: [Int] {
        parts.compactMap { part in
            switch part {
            case .through(let scope, _), .ask(let scope): scope
            default: nil
            }
        }
    }

    var inherits: Bool {
        parts.contains { part in
            switch part {
            case .inherited, .attemptInherited, .attemptPast: true
            default: false
            }
        }
    }
}

/// Spreads the bits of a number.
func mixed(_ number: UInt64) -> UInt64 {
    var z = number &+ 0x9E37_79B9_7F4A_7C15
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
}

/// Steps that change a tree of scopes, and the keys that are read in it.
///
/// A scope has the number it was made with; 0 is the scope that is global at the start. A step whose scope was never
/// made, or is gone, is skipped. So a program from which steps are removed is still a program.
struct Program: Sendable {
    /// The declaration of a key.
    struct Key: Sendable {
        var lifetime = ValueLifetime.shared
        var isSafe = false
        /// Whether the key has no default.
        var isRequired = false
        var recipe = Recipe()
    }

    enum Parent: Sendable, Equatable {
        case none, global
        case scope(Int)
    }

    enum Step: Sendable {
        case make(Int, Parent, DefaultsPolicy?)
        case set(Int, in: Int, UInt64)
        case provide(Int, in: Int, Recipe, salt: UInt64)
        case remove(Int, in: Int)
        case removeAll(in: Int)
        case alias(Int, to: Int, in: Int)
        case move(Int, to: Parent)
        case replaceGlobal(by: Int)
        case close(Int)
        case drop(Int)
    }

    /// The reads after each step.
    enum Reads: Sendable, CaseIterable {
        /// Every key in every scope, outer scopes before inner ones.
        case all
        /// Every key in every scope, in any order.
        case shuffled
        /// Some keys in some scopes, so that different values are there already.
        case some
    }

    var seed: UInt64 = 0
    var reads = Reads.all
    /// Whether the program needs the global scope, and so a process, for itself.
    var usesGlobal = false
    var keys: [Key]
    var steps: [Step]
}

// MARK: - As source text

extension Program: CustomStringConvertible {
    /// The program as Swift source, for `RegressionTests`.
    var description: String {
        let keys = keys.map { "        \($0),\n" }.joined()
        let steps = steps.map { "        .\($0),\n" }.joined()
        return "Program(\n    seed: \(seed),\n    reads: .\(reads),\n    usesGlobal: \(usesGlobal),\n"
            + "    keys: [\n\(keys)    ],\n    steps: [\n\(steps)    ]\n)"
    }
}

extension Program.Key: CustomStringConvertible {
    var description: String {
        "Key(lifetime: .\(lifetime), isSafe: \(isSafe), isRequired: \(isRequired), recipe: \(recipe))"
    }
}

extension Recipe: CustomStringConvertible {
    var description: String { "Recipe(parts: [\(parts.map { ".\($0)" }.joined(separator: ", "))])" }
}

extension Recipe.Part: CustomStringConvertible {
    var description: String {
        switch self {
        case .read(let key): "read(\(key))"
        case .attempt(let key): "attempt(\(key))"
        case .either(let condition, let first, let second): "either(\(condition), \(first), \(second))"
        case .refuse(let key): "refuse(\(key))"
        case .ifAny(let key): "ifAny(\(key))"
        case .through(let scope, let key): "through(\(scope), \(key))"
        case .inherited: "inherited"
        case .attemptInherited: "attemptInherited"
        case .attemptPast(let key): "attemptPast(\(key))"
        case .ask(let scope): "ask(\(scope))"
        case .askParent: "askParent"
        case .within(let overridden, let key): "within(\(overridden), \(key))"
        }
    }
}

extension Program.Parent: CustomStringConvertible {
    var description: String {
        switch self {
        case .none: "none"
        case .global: "global"
        case .scope(let scope): "scope(\(scope))"
        }
    }
}

extension Program.Step: CustomStringConvertible {
    var description: String {
        switch self {
        case .make(let scope, let parent, let policy): "make(\(scope), .\(parent), \(policy.map { ".\($0)" } ?? "nil"))"
        case .set(let key, let scope, let value): "set(\(key), in: \(scope), \(value))"
        case .provide(let key, let scope, let recipe, let salt):
            "provide(\(key), in: \(scope), \(recipe), salt: \(salt))"
        case .remove(let key, let scope): "remove(\(key), in: \(scope))"
        case .removeAll(let scope): "removeAll(in: \(scope))"
        case .alias(let key, let target, let scope): "alias(\(key), to: \(target), in: \(scope))"
        case .move(let scope, let parent): "move(\(scope), to: .\(parent))"
        case .replaceGlobal(let scope): "replaceGlobal(by: \(scope))"
        case .close(let scope): "close(\(scope))"
        case .drop(let scope): "drop(\(scope))"
        }
    }
}
