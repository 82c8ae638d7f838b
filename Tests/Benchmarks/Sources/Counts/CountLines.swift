import Client
import Harness
import ScopedInjection
import Subjects

/// How often operations allocate, and the bytes that are in use after them.
struct CountLines {
    private let fixture = Fixture.shared
    private let effort: Effort

    init(effort: Effort) { self.effort = effort }

    var all: [Line] { reads + references + scopes + memory }

    private var reads: [Line] {
        let (far, handler) = (fixture.descendant(8), fixture.handler)
        let deep = ("8 up, integer", Operation(in: far) { handler.readPort($0) })
        return (fixture.reads.map { ($0.name, $0.operation) } + [deep]).map {
            .allocations("Allocations per read", $0.0, .atMost(0), $0.1)
        }
    }

    private var references: [Line] {
        [
            .allocations(
                "Allocations per struct of 5 @Injected",
                "create",
                nil,
                Operation(FiveReferences.create)
            )
        ]
    }

    private var scopes: [Line] {
        let (app, requests) = (fixture.app, fixture.requests)
        let section = "Allocations per scope"
        let bytes = "Bytes per scope"
        return [
            .allocations(section, "child without values", nil, Operation { Requests.makeEmpty(under: app, $0) }),
            .allocations(section, "child with 1 value", nil, Operation { Requests.makeWithOneValue(under: app, $0) }),
            .allocations(
                section,
                "child with 1 value, enter, 1 read",
                nil,
                Operation { requests.serveOneValue(under: app, $0) }
            ),
            .allocations(section, "enter a scope, 1 read", nil, Operation { requests.enter(app, $0) }),
            .bytes(bytes, "child without values") { .empty("request", parent: app) },
            .bytes(bytes, "child with 1 value", .atMost(400, aim: 300)) { Requests.withOneValue(under: app) },
            .bytes(bytes, "child of global with 1 value", .atMost(400, aim: 300)) {
                Requests.withOneValue(under: .global)
            },
            .bytes(bytes, "child with 5 values", .atMost(800, aim: 500)) { Requests.with(values: 5, under: app) },
            .bytes(bytes, "child with 20 values", .atMost(1_900, aim: 1_200)) { Requests.with(values: 20, under: app) },
            .bytes(bytes, "child with 1000 values") { Requests.with(values: 1_000, under: app) },
            .bytes(bytes, "child with 1 value, which then read one of its parent's") {
                let child = Requests.withOneValue(under: app)
                _ = child.service
                return child
            },
        ]
    }

    private var memory: [Line] {
        [
            Line(
                .counts,
                "Bytes more in a long life",
                "\(effort.memoryRounds) reads, sets of one value, rebuilds",
                .bytes,
                .atMost(0)
            ) {
                effort in
                let (parent, child) = Fixture.family()
                let operation = Operation { Changes.readSetAndRebuild(parent, readIn: child, $0) }
                return Line.Measurement(HeapUse.growth(of: operation, rounds: effort.memoryRounds))
            }
        ]
    }
}

extension Line {
    /// A line that tells how often an operation allocates.
    static func allocations(_ section: String, _ name: String, _ limit: Limit? = nil, _ operation: Operation) -> Line {
        Line(.counts, section, name, .allocations, limit) { _ in Measurement(HeapUse.allocations(of: operation)) }
    }

    /// A line that tells what each of many scopes takes.
    static func bytes(
        _ section: String,
        _ name: String,
        _ limit: Limit? = nil,
        _ make: @escaping @Sendable () -> EnvironmentScope
    ) -> Line {
        Line(.counts, section, name, .bytes, limit) { _ in Measurement(HeapUse.bytes(per: make)) }
    }
}
