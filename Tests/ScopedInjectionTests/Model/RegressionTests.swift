import ScopedInjection
import Testing

/// Makes keys, most of which are constants.
private func keys(_ others: [Int: Program.Key]) -> [Program.Key] {
    (0..<Program.keyCount).map { others[$0] ?? Program.Key() }
}

/// A shrunk random program, and the defect that it found.
struct Regression: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let program: Program

    static let all = [
        Regression(
            testDescription: "An alias for a transient input that is declared after the value was built",
            program: Program(
                keys: keys([4: .init(recipe: Recipe(parts: [.read(5)])), 5: .init(lifetime: .transient)]),
                steps: [.make(1, .none, nil), .make(2, .scope(1), nil), .alias(5, to: 3, in: 2)]
            )
        ),
        Regression(
            testDescription: "An alias that leads elsewhere after the value was built",
            program: Program(
                keys: keys([4: .init(recipe: Recipe(parts: [.read(5)]))]),
                steps: [.make(1, .none, nil), .alias(5, to: 3, in: 1), .alias(5, to: 2, in: 1)]
            )
        ),
        Regression(
            testDescription: "An alias that makes a kept value an input of itself",
            program: Program(
                reads: .shuffled,
                keys: keys([
                    3: .init(recipe: Recipe(parts: [.read(6)])), 6: .init(recipe: Recipe(parts: [.attempt(7)])),
                ]),
                steps: [.make(1, .none, nil), .make(2, .scope(1), nil), .alias(7, to: 3, in: 2)]
            )
        ),
        Regression(
            testDescription: "An alias of a scoped key",
            program: Program(
                keys: keys([
                    1: .init(recipe: Recipe(parts: [.attempt(5)])), 2: .init(lifetime: .scoped),
                    4: .init(recipe: Recipe(parts: [.read(1)])),
                ]),
                steps: [.make(1, .none, nil), .alias(5, to: 2, in: 1), .make(2, .scope(1), nil)]
            )
        ),
        Regression(
            testDescription: "Two aliases that lead to the same key in two ways",
            program: Program(
                keys: keys([:]),
                steps: [
                    .make(1, .none, nil), .make(3, .scope(1), nil), .make(4, .none, nil), .alias(7, to: 5, in: 4),
                    .alias(7, to: 4, in: 3), .provide(6, in: 3, Recipe(parts: [.attempt(7)]), salt: 22),
                    .alias(5, to: 4, in: 4), .move(4, to: .scope(3)),
                ]
            )
        ),
        Regression(
            testDescription: "A scoped value that an outer scope overrides is let go of",
            program: Program(
                keys: keys([6: .init(lifetime: .scoped)]),
                steps: [.make(1, .none, nil), .make(3, .scope(1), nil), .set(6, in: 1, 11)]
            )
        ),
        Regression(
            testDescription: "A builder that does without a default that is forbidden below only",
            program: Program(
                keys: keys([:]),
                steps: [
                    .make(1, .none, nil), .make(2, .scope(1), nil), .make(3, .scope(2), .forbidden),
                    .provide(2, in: 2, Recipe(parts: [.attempt(5)]), salt: 10), .set(4, in: 3, 12),
                ]
            )
        ),
        Regression(
            testDescription: "A transient value of a default that is allowed again below a root that forbids it",
            program: Program(
                keys: keys([
                    0: .init(lifetime: .transient, recipe: Recipe(parts: [.attempt(3), .read(1)])),
                    3: .init(recipe: Recipe(parts: [.read(7), .read(7)])),
                ]),
                steps: [.make(1, .none, .forbidden), .make(4, .scope(1), .allowed), .set(6, in: 4, 11)]
            )
        ),
        Regression(
            testDescription: "A builder that does without a value that a closed root cannot keep, under a new parent",
            program: Program(
                keys: keys([
                    1: .init(recipe: Recipe(parts: [.attempt(4), .read(3)])), 3: .init(lifetime: .scoped),
                ]),
                steps: [.make(1, .none, nil), .close(1), .make(2, .scope(1), nil), .move(2, to: .none)]
            )
        ),
        Regression(
            testDescription: "A builder that does without a value of a gone parent, where an alias leads elsewhere",
            program: Program(
                seed: 2,
                reads: .shuffled,
                keys: keys([:]),
                steps: [
                    .make(1, .none, nil), .make(2, .scope(1), nil), .drop(1), .make(3, .scope(2), nil),
                    .provide(2, in: 2, Recipe(parts: [.attempt(6)]), salt: 21), .alias(6, to: 7, in: 3),
                ]
            )
        ),
    ]
}

@Suite("R1, R2, R3, R11, R12, R13: programs that once differed from the model")
struct RegressionTests {
    @Test("They do no longer", arguments: Regression.all)
    func program(_ regression: Regression) async throws {
        try await Runner.run(regression.program)
    }
}
