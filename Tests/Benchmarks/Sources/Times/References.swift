import Client
import Harness
import ScopedInjection
import Subjects

/// Making references, reading through them and binding them.
struct References {
    private let fixture = Fixture.shared

    var lines: [Line] { structs + replacing }

    private var structs: [Line] {
        let references = FiveReferences()
        return [
            .time("A struct of 5 @Injected", "create", .reads, .atMost(12, aim: 9), Operation(FiveReferences.create)),
            .time("A struct of 5 @Injected", "read all 5", .reads, nil, Operation(in: fixture.app, references.read)),
        ]
    }

    private var replacing: [Line] {
        let small = EnvironmentScope("small", parent: nil) { $0.port = 1 }
        let large = Requests.with(values: 1_000, under: nil)
        let references = FiveReferences()
        let controllers = (0..<100).map { _ in Controller() }
        let section = "replace(in:), per reference"
        // A reference that is bound again and again costs no more than the first time.
        let limit = Limit.atMost(400)
        return [
            .time(
                section,
                "a struct of 5",
                .reads,
                limit,
                Operation(repeats: 5) { Changes.replace(in: references, by: small, [], $0) }
            ),
            .time(
                section,
                "100 objects that hold a struct of 5 each",
                .reads,
                limit,
                Operation(repeats: 500) { Changes.replace(in: controllers, by: small, .nested, $0) }
            ),
            .time(
                section,
                "the same, by a scope with 1000 values",
                .reads,
                limit,
                Operation(repeats: 500) { Changes.replace(in: controllers, by: large, .nested, $0) }
            ),
        ]
    }
}
