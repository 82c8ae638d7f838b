import Client
import Harness
import ScopedInjection
import Subjects

/// What a request pays, most of whose reads are first reads.
struct RequestCosts {
    private let fixture = Fixture.shared
    private static let section = "What a request pays"

    var lines: [Line] { children + firstReads + builds + ends + byHand }

    private var children: [Line] {
        let (app, tenant, requests) = (fixture.app, fixture.descendant(2), fixture.requests)
        let (one, object) = ("1 value, enter, 1 read, child of", "1 object, enter, 1 read, child of")
        let five = "5 values, enter, 20 reads, child of"
        let (oneLimit, fiveLimit) = (Limit.atMost(5, aim: 3.5), Limit.atMost(20, aim: 14))
        let entered = "the entered scope"
        return [
            line("\(one) global", oneLimit, Operation { requests.serveOneValue(under: .global, $0) }),
            line("\(one) a child of global", oneLimit, Operation { requests.serveOneValue(under: app, $0) }),
            line("\(one) \(entered)", oneLimit, Operation(in: app) { requests.serveOneValue(under: app, $0) }),
            line("\(one) a scope 3 below global", nil, Operation { requests.serveOneValue(under: tenant, $0) }),
            line("\(object) global", oneLimit, Operation { requests.serveOneObject(under: .global, $0) }),
            line("\(object) a child of global", oneLimit, Operation { requests.serveOneObject(under: app, $0) }),
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
                .atMost(20, aim: 14),
                Operation { building.readSettings(under: app, $0) }
            ),
            line(
                "an unset constant read for the first time in a root, beyond making that",
                .atMost(1, aim: 0.5),
                Operation(Requests.makeAndReadConstant),
                beyond: Operation { Requests.makeEmpty(under: nil, $0) }
            ),
        ]
    }

    private var builds: [Line] {
        let (app, builtApp, building) = (fixture.app, fixture.builtApp, fixture.building)
        return [
            line(
                "1 service built from its value and one of the app's, beyond it",
                .atMost(9, aim: 6),
                Operation { building.buildOne(under: app, $0) },
                beyond: Operation { building.readOwnValue(under: app, $0) }
            ),
            line(
                "2 values, 5 services built on them and on 3 of the app's",
                .atMost(55, aim: 40),
                Operation { building.buildFive(under: app, $0) }
            ),
            line(
                "the same, where the app has built them for itself",
                .atMost(60, aim: 42),
                Operation { building.buildFive(under: builtApp, $0) }
            ),
            row("1 value, 33 values built in a row, against 5", under: app),
            row("the same, where the app has built them for itself", under: builtApp),
        ]
    }

    /// What requests do when they end.
    private var ends: [Line] {
        let (app, ending) = (fixture.app, fixture.ending)
        let request = Operation(awaiting: { await ending.serve(under: app, $0) })
        let limit = Limit.atMost(6, aim: 3)
        return [
            line(
                "a cleanup registered where it is configured, run at its end, beyond it",
                limit,
                Operation(awaiting: { await ending.serveWithCleanup(under: app, $0) }),
                beyond: request
            ),
            line(
                "the same, a cleanup that has to be awaited",
                .atMost(20, aim: 10),
                Operation(awaiting: { await ending.serveWithAwaitedCleanup(under: app, $0) }),
                beyond: request
            ),
            line(
                "a value with onClose built in it, run at its end, beyond the value without",
                limit,
                Operation(awaiting: { await ending.buildWithCleanup(under: app, $0) }),
                beyond: Operation(awaiting: { await ending.buildAndClose(under: app, $0) })
            ),
            line(
                "a value of the app's with onClose, read in it, beyond it",
                nil,
                Operation(awaiting: { await ending.readParentsConnection(under: app, $0) }),
                beyond: request
            ),
            line(
                "a child of the request, made, entered, 1 read, closed, beyond it",
                .atMost(8, aim: 4.5),
                Operation(awaiting: { await ending.serveWithPart(under: app, $0) }),
                beyond: request
            ),
            line(
                "the same, and a child of the child",
                nil,
                Operation(awaiting: { await ending.serveWithPartOfPart(under: app, $0) }),
                beyond: request
            ),
            line(
                "closing it, without anything to do, beyond it",
                nil,
                Operation(awaiting: { await ending.serveAndClose(under: app, $0) }),
                beyond: request
            ),
            line(
                "1 value, 1 read, by withChild",
                nil,
                Operation(awaiting: { await ending.serveWithChild(of: app, $0) })
            ),
        ]
    }

    /// What nothing of the kind can be cheaper than.
    private var byHand: [Line] {
        let handMade = HandMade()
        let section = "By hand"
        return [
            .time(section, "a push, a read and a pop", .bindings, nil, Units.binding),
            .time(section, "5 services made by hand", .bindings, nil, Operation(handMade.buildFive)),
        ]
    }

    private func line(_ name: String, _ limit: Limit?, _ operation: Operation) -> Line {
        .time(Self.section, name, .bindings, limit, operation)
    }

    private func line(_ name: String, _ limit: Limit?, _ operation: Operation, beyond part: Operation) -> Line {
        Line(.times, Self.section, name, .bindings, limit) { effort in
            Line.Measurement(Comparison(of: operation, beyond: part, to: Units.binding, effort))
        }
    }

    private func row(_ name: String, under app: EnvironmentScope) -> Line {
        let building = fixture.building
        return .time(
            Self.section,
            name,
            .times,
            .atMost(7.5, aim: 6.6),
            Operation { building.buildLastInRow(under: app, $0) },
            against: Operation { building.buildFifthInRow(under: app, $0) }
        )
    }
}
