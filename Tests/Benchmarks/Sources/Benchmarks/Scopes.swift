import Client
import Harness
import ScopedInjection

/// Making scopes, entering them and changing them.
struct Scopes {
    private let fixture = Fixture.shared
    private let effort: Effort

    init(effort: Effort) { self.effort = effort }

    var lines: [Line] { children + parts + sizes + changes + counts + memory }

    /// What a request does, below each kind of parent.
    private var children: [Line] {
        let (app, requests) = (fixture.app, fixture.requests)
        let section = "New child, enter it"
        let one = "1 value, 1 read, child of"
        let five = "5 values, 20 reads, child of"
        let oneOfGlobal = Operation { requests.serveOneValue(under: .global, $0) }
        let oneOfApp = Operation { requests.serveOneValue(under: app, $0) }
        let oneOfEntered = Operation(in: app) { requests.serveOneValue(under: app, $0) }
        let fiveOfGlobal = Operation { requests.serveFiveValues(under: .global, $0) }
        let fiveOfApp = Operation { requests.serveFiveValues(under: app, $0) }
        let fiveOfEntered = Operation(in: app) { requests.serveFiveValues(under: app, $0) }
        return [
            .time(section, "\(one) global", .bindings, .atMost(6), oneOfGlobal),
            .time(section, "\(one) a scope that is not entered", .bindings, .atMost(6), oneOfApp),
            .time(section, "\(one) the entered scope", .bindings, .atMost(6), oneOfEntered),
            .time(section, "\(five) global", .bindings, .atMost(30), fiveOfGlobal),
            .time(section, "\(five) a scope that is not entered", .bindings, .atMost(30), fiveOfApp),
            .time(section, "\(five) the entered scope", .bindings, .atMost(30), fiveOfEntered),
        ]
    }

    /// What the lines above are made of.
    private var parts: [Line] {
        let (app, requests) = (fixture.app, fixture.requests)
        let section = "Parts of it"
        return [
            .time(section, "child without values", .bindings, nil, Operation { Requests.makeEmpty(under: app, $0) }),
            .time(
                section,
                "child with 1 value",
                .bindings,
                nil,
                Operation { Requests.makeWithOneValue(under: app, $0) }
            ),
            .time(section, "enter a scope, 1 read", .bindings, nil, Operation { requests.enter(app, $0) }),
        ]
    }

    private var sizes: [Line] {
        let app = fixture.app
        return [1, 10, 100, 1_000].map { values in
            .time(
                "New child by number of values",
                "\(values)",
                .bindings,
                nil,
                Operation { Requests.make(values: values, under: app, $0) }
            )
        }
    }

    private var changes: [Line] {
        let lone = EnvironmentScope.empty("lone", parent: nil)
        lone.port = 1
        let (parent, child) = Self.family()
        return [
            .time("Defaults", "new scope alone", .bindings, nil, Operation { Requests.makeEmpty(under: nil, $0) }),
            .time(
                "Defaults",
                "new scope, first read builds a default",
                .bindings,
                nil,
                Operation(Requests.makeAndBuild)
            ),
            .time(
                "Defaults",
                "new scope with 1 value, first read builds from it",
                .bindings,
                nil,
                Operation(Requests.makeAndDerive)
            ),
            .time("Changes", "set a key again", .bindings, nil, Operation { Changes.set(lone, $0) }),
            .time(
                "Changes",
                "set a key again, rebuild what depends on it, read that in a child",
                .bindings,
                nil,
                Operation { Changes.setAndRebuild(parent, readIn: child, $0) }
            ),
        ]
    }

    private var counts: [Line] {
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
            .bytes(bytes, "child with 1 value", .atMost(400)) { Requests.withOneValue(under: app) },
            .bytes(bytes, "child of global with 1 value", .atMost(400)) { Requests.withOneValue(under: .global) },
            .bytes(bytes, "child with 1 value, which then read one of its parent's") {
                let child = Requests.withOneValue(under: app)
                _ = child.service
                return child
            },
        ]
            + [10, 100, 1_000].map { values in
                .bytes(bytes, "child with \(values) values") { Requests.with(values: values, under: app) }
            }
    }

    private var memory: [Line] {
        [
            Line(
                .counts,
                "Bytes more in a long life",
                "\(effort.memoryRounds) reads, sets of one key, rebuilds",
                .bytes,
                .atMost(0)
            ) {
                effort in
                let (parent, child) = Self.family()
                let operation = Operation { Changes.readSetAndRebuild(parent, readIn: child, $0) }
                return Line.Measurement(HeapUse.growth(of: operation, rounds: effort.memoryRounds))
            }
        ]
    }

    private static func family() -> (parent: EnvironmentScope, child: EnvironmentScope) {
        let parent = EnvironmentScope("parent", parent: nil) {
            $0.port = 1
            $0.service = Service()
        }
        return (parent, .empty("child", parent: parent))
    }
}
