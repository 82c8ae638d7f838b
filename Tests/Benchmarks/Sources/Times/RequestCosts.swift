import Client
import Floors
import Harness
import ScopedInjection
import Subjects

/// What a request pays, most of whose reads are first reads.
struct RequestCosts {
    private let fixture = Fixture.shared
    private static let section = "What a request pays"

    var lines: [Line] { children + firstReads + builds + floors }

    private var children: [Line] {
        let (app, tenant, requests) = (fixture.app, fixture.descendant(2), fixture.requests)
        let one = "1 value, enter, 1 read, child of"
        let five = "5 values, enter, 20 reads, child of"
        let oneLimit = Limit.atMost(5, aim: 3)
        let fiveLimit = Limit.atMost(25, aim: 15)
        let entered = "the entered scope"
        return [
            line("\(one) global", oneLimit, Operation { requests.serveOneValue(under: .global, $0) }),
            line("\(one) a child of global", oneLimit, Operation { requests.serveOneValue(under: app, $0) }),
            line("\(one) \(entered)", oneLimit, Operation(in: app) { requests.serveOneValue(under: app, $0) }),
            line("\(one) a scope 3 below global", nil, Operation { requests.serveOneValue(under: tenant, $0) }),
            line(
                "1 object, enter, 1 read, child of global",
                oneLimit,
                Operation { requests.serveOneObject(under: .global, $0) }
            ),
            line(
                "1 object, enter, 1 read, child of a child of global",
                oneLimit,
                Operation { requests.serveOneObject(under: app, $0) }
            ),
            line("\(five) global", fiveLimit, Operation { requests.serveFiveValues(under: .global, $0) }),
            line("\(five) a child of global", fiveLimit, Operation { requests.serveFiveValues(under: app, $0) }),
            line("\(five) \(entered)", fiveLimit, Operation(in: app) { requests.serveFiveValues(under: app, $0) }),
        ]
    }

    private var firstReads: [Line] {
        let (app, building) = (fixture.app, fixture.building)
        return [
            line(
                "1 value, enter, 20 values of its parent read once each",
                .atMost(40, aim: 25),
                Operation { building.readSettings(under: app, $0) }
            )
        ]
    }

    private var builds: [Line] {
        let (app, builtApp, building) = (fixture.app, fixture.builtApp, fixture.building)
        let request = Operation { building.readOwnValue(under: app, $0) }
        let oneBuild = Operation { building.buildOne(under: app, $0) }
        return [
            Line(
                .times,
                Self.section,
                "1 service built from its value and one of the app's, beyond it",
                .bindings,
                .atMost(12, aim: 7)
            ) { effort in
                Line.Measurement(Comparison(of: oneBuild, beyond: request, to: Units.binding, effort))
            },
            line(
                "2 values, 5 services built on them and on 3 of the app's",
                .atMost(80, aim: 45),
                Operation { building.buildFive(under: app, $0) }
            ),
            line(
                "the same, where the app has built them for itself",
                .atMost(160),
                Operation { building.buildFive(under: builtApp, $0) }
            ),
            row("1 value, 33 values built in a row, against 5", .atMost(7), under: app),
            row("the same, where the app has built them for itself", .atMost(8), under: builtApp),
        ]
    }

    /// What nothing of the kind can be cheaper than.
    private var floors: [Line] {
        let (byHand, striped) = (HandMade(), FloorRequests())
        let section = "Floors of it"
        return [
            .time(section, "a push, a read and a pop", .bindings, nil, Units.binding),
            .time(section, "5 services made by hand", .bindings, nil, Operation(byHand.buildFive)),
            .time(
                section,
                "a child with a striped handle, 1 value, enter, 1 read",
                .bindings,
                nil,
                Operation(striped.readOwnValue)
            ),
            .time(
                section,
                "the same, the parent kept (R8)",
                .bindings,
                nil,
                Operation(striped.readOwnValueKeepingParent)
            ),
            .time(
                section,
                "a child with a striped handle, 1 value, enter, a read of its parent's value",
                .bindings,
                nil,
                Operation(striped.readParentsValue)
            ),
        ]
    }

    private func line(_ name: String, _ limit: Limit?, _ operation: Operation) -> Line {
        .time(Self.section, name, .bindings, limit, operation)
    }

    private func row(_ name: String, _ limit: Limit, under app: EnvironmentScope) -> Line {
        let building = fixture.building
        return .time(
            Self.section,
            name,
            .times,
            limit,
            Operation { building.buildLastInRow(under: app, $0) },
            against: Operation { building.buildFifthInRow(under: app, $0) }
        )
    }
}
