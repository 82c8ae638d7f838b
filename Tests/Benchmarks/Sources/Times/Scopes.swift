import Client
import Harness
import ScopedInjection
import Subjects

/// Making scopes and changing them.
struct Scopes {
    private let fixture = Fixture.shared

    var lines: [Line] { parts + sizes + changes }

    /// What requests are made of.
    private var parts: [Line] {
        let (app, requests) = (fixture.app, fixture.requests)
        let section = "Parts of a request"
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
        let (few, many) = (Requests.with(values: 10, under: nil), Requests.with(values: 1_000, under: nil))
        let (parent, child) = Fixture.family()
        return [
            .time("Defaults", "new scope alone", .bindings, nil, Operation { Requests.makeEmpty(under: nil, $0) }),
            .time(
                "Defaults",
                "new scope, a constant read",
                .bindings,
                nil,
                Operation(Requests.makeAndReadConstant)
            ),
            .time(
                "Defaults",
                "new scope with 1 value, first read builds from it",
                .bindings,
                nil,
                Operation(Requests.makeAndDerive)
            ),
            .time(
                "Changes",
                "set a value and remove it, among 1000 values, against among 10",
                .times,
                .atMost(12),
                Operation { Changes.setAndRemove(many, $0) },
                against: Operation { Changes.setAndRemove(few, $0) }
            ),
            .time("Changes", "set a value again", .bindings, nil, Operation { Changes.set(lone, $0) }),
            .time(
                "Changes",
                "set a value again, rebuild what depends on it, read that in a child",
                .bindings,
                nil,
                Operation { Changes.setAndRebuild(parent, readIn: child, $0) }
            ),
        ]
    }
}
