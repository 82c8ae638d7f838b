import Client
import Harness
import Subjects

/// Asking a scope where a value comes from.
struct Seeing {
    private let fixture = Fixture.shared

    var lines: [Line] {
        let app = fixture.app
        return [
            .time("Explain", "a set value", .reads, nil, Operation { Seen.explainPort(in: app, $0) }),
            .time("Explain", "a value built from it", .reads, nil, Operation { Seen.explainDerived(in: app, $0) }),
        ]
    }
}
