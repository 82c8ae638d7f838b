import Client
import Harness
import ScopedInjection

/// Reads of values that are there: what they take, and that they allocate nothing.
struct Reads {
    private let fixture = Fixture.shared

    var lines: [Line] { times + depths + sizes + counts }

    /// The reads of the table of limits, by what is read and where.
    private var limited: [(name: String, operation: Operation)] {
        let (app, handler, bound) = (fixture.app, fixture.handler, fixture.boundHandler)
        return [
            ("entered scope, integer", Operation(in: app) { handler.readPort($0) }),
            ("entered scope, object", Operation(in: app) { handler.readService($0) }),
            ("entered scope, existential", Operation(in: app) { handler.readGreeter($0) }),
            ("entered scope, optional value", Operation(in: app) { handler.readUser($0) }),
            ("entered scope, five words", Operation(in: app) { handler.readFiveWords($0) }),
            ("entered scope, kept default", Operation(in: app) { handler.readConstant($0) }),
            ("entered scope, kept default built from another value", Operation(in: app) { handler.readDerived($0) }),
            ("nothing entered, integer in global", Operation { handler.readPort($0) }),
            ("nothing entered, object in global", Operation { handler.readService($0) }),
            ("nothing entered, kept default in global", Operation { handler.readDerived($0) }),
            ("reference with a scope of its own, integer", Operation { bound.readPort($0) }),
            ("reference with a scope of its own, object", Operation { bound.readService($0) }),
        ]
    }

    private var times: [Line] {
        let app = fixture.app
        return limited.map { .time("Reads", $0.name, .reads, .atMost(2.5), $0.operation) } + [
            .time(
                "Reads",
                "property of a scope, no reference",
                .reads,
                nil,
                Operation { Handler.readPort(of: app, $0) }
            )
        ]
    }

    private var depths: [Line] {
        let (app, handler) = (fixture.app, fixture.handler)
        let section = "Depth, against the same read in the scope that has the value"
        return [1, 4, 8, 32].flatMap { depth -> [Line] in
            let descendant = fixture.descendant(depth)
            let limit: Limit? = depth == 8 ? .atMost(1.1) : nil
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

    private var counts: [Line] {
        let (far, handler) = (fixture.descendant(8), fixture.handler)
        let deep = ("8 up, integer", Operation(in: far) { handler.readPort($0) })
        return (limited + [deep]).map { .allocations("Allocations per read", $0.0, .atMost(0), $0.1) }
    }
}
