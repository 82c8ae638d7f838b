import Client
import Harness
import ScopedInjection
import Subjects

/// Making scopes, entering them and changing them.
struct Scopes {
    private let fixture = Fixture.shared

    var lines: [Line] { children + parts + sizes + changes }

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
        let (parent, child) = Fixture.family()
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
}
