import Client
import Harness
import ScopedInjection
import Subjects

/// Reads of values that are there.
struct Reads {
    private let fixture = Fixture.shared

    var lines: [Line] { times + depths + sizes }

    private var times: [Line] {
        let app = fixture.app
        return fixture.reads.map { .time("Reads", $0.name, .reads, $0.limit, $0.operation) } + [
            .time(
                "Reads",
                "property of a scope, no reference",
                .reads,
                .atMost(1.1, aim: 0.8),
                Operation { Handler.readPort(of: app, $0) }
            )
        ]
    }

    private var depths: [Line] {
        let (app, handler) = (fixture.app, fixture.handler)
        let section = "Depth, against the same read in the scope that has the value"
        return [1, 4, 8, 32].flatMap { depth -> [Line] in
            let descendant = fixture.descendant(depth)
            let limit: Limit? = depth == 8 ? .atMost(1.5, aim: 1.15) : nil
            return [
                .time(
                    section,
                    "\(depth) up, integer",
                    .times,
                    limit,
                    Operation(in: descendant) { handler.readPort($0) },
                    against: Operation(in: app) { handler.readPort($0) }
                ),
                .time(
                    section,
                    "\(depth) up, object",
                    .times,
                    limit,
                    Operation(in: descendant) { handler.readService($0) },
                    against: Operation(in: app) { handler.readService($0) }
                ),
            ]
        }
    }

    private var sizes: [Line] {
        fixture.scopesByCount.sorted { $0.key < $1.key }.map { count, scope in
            let handler = fixture.handler
            return .time(
                "Reads by number of values in the scope",
                "\(count)",
                .reads,
                nil,
                Operation(in: scope) { handler.readPort($0) }
            )
        }
    }
}
