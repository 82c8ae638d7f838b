import Client
import Harness
import ScopedInjection
import Subjects

/// Asking a scope where values come from.
struct Seeing {
    private let fixture = Fixture.shared

    var lines: [Line] {
        let app = fixture.app
        return [
            .time("Explain", "a set value", .reads, nil, Operation { Seen.explainPort(in: app, $0) }),
            .time("Explain", "a value built from it", .reads, nil, Operation { Seen.explainDerived(in: app, $0) }),
        ]
            + graphs("1,000 values in a row", 1_000, width: 1, .atMost(1))
            + graphs("30 values, each built from the two before it", 30, width: 2, .atMost(0.2))
    }

    private func graphs(_ name: String, _ count: Int, width: Int, _ limit: Limit) -> [Line] {
        let prepare = { @Sendable in
            let scope = EnvironmentScope.empty("graph", parent: nil)
            NumberedValues.provideRow(count, width: width, in: scope)
            _ = NumberedValues.readLast(of: count, in: scope)
            return scope
        }
        return [
            Line(.times, "Explain", "explain, \(name)", .seconds, limit) { _ in
                Line.Measurement(
                    Repetition.seconds(preparing: prepare) { _ = NumberedValues.explainLast(of: count, in: $0) }
                )
            },
            Line(.times, "Explain", "graph, \(name)", .seconds, limit) { _ in
                Line.Measurement(Repetition.seconds(preparing: prepare) { _ = $0.graph })
            },
        ]
    }
}
