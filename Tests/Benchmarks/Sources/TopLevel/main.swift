// What a person sees who writes a measurement into a script: globals and closures at the top level of a program, keys
// of its own, the scope of the application a child of the global one, and somewhere a reference that is bound.
import ArgumentParser
import BlackHole
import Harness
import ScopedInjection

let service = Service()
let app = EnvironmentScope("app", setValues)
let oneUp = EnvironmentScope.empty("one up", parent: app)
let handler = Handler()
let settings = Settings()
let boundApp = EnvironmentScope("bound app", setValues)
let boundPort = Injected(\.port, scope: boundApp)
let boundStore = Injected(\.store, scope: boundApp)
let boundUser = Injected(\.user, scope: boundApp)
let boundUserID = Injected(\.user?.id, scope: boundApp)
setValues(.global)

func setValues(_ scope: EnvironmentScope) {
    scope.port = 1
    scope.userName = "ada"
    scope.user = User(id: 1, name: "ada")
    scope.store = Service(1)
    scope.mail = Service(2)
    scope.calendar = Service(3)
    scope.setting0 = Service(0)
    scope.setting1 = Service(1)
    scope.setting2 = Service(2)
    scope.setting3 = Service(3)
    scope.setting4 = Service(4)
    scope.setting5 = Service(5)
    scope.setting6 = Service(6)
    scope.setting7 = Service(7)
    scope.setting8 = Service(8)
    scope.setting9 = Service(9)
    scope.setting10 = Service(10)
    scope.setting11 = Service(11)
    scope.setting12 = Service(12)
    scope.setting13 = Service(13)
    scope.setting14 = Service(14)
    scope.setting15 = Service(15)
    scope.setting16 = Service(16)
    scope.setting17 = Service(17)
    scope.setting18 = Service(18)
    scope.setting19 = Service(19)
}

// MARK: What the limits are multiples of

let read = Operation(
    around: { inside in Local.$service.withValue(service) { inside() } },
    { count in for _ in 0..<count { blackHole(Local.service?.number ?? 0) } }
)
let push = Operation { count in
    for _ in 0..<count { Local.$service.withValue(service) { blackHole(Local.service?.number ?? 0) } }
}

// MARK: Reads

let readPort: @Sendable (Int) -> Void = { count in for _ in 0..<count { blackHole(handler.port) } }
let readStore: @Sendable (Int) -> Void = { count in for _ in 0..<count { blackHole(handler.store.number) } }
let readUser: @Sendable (Int) -> Void = { count in for _ in 0..<count { blackHole(handler.user?.id ?? 0) } }

let reads: [(String, Limit?, Operation)] = [
    ("entered scope, integer", .atMost(2.3, aim: 1.8), Operation(around: { inside in app { inside() } }, readPort)),
    ("entered scope, object", .atMost(2.3, aim: 1.8), Operation(around: { inside in app { inside() } }, readStore)),
    (
        "entered scope, optional value", .atMost(2.3, aim: 1.8),
        Operation(around: { inside in app { inside() } }, readUser)
    ),
    ("one scope up, integer", .atMost(2.4, aim: 1.9), Operation(around: { inside in oneUp { inside() } }, readPort)),
    ("one scope up, object", .atMost(2.4, aim: 1.9), Operation(around: { inside in oneUp { inside() } }, readStore)),
    ("nothing entered, integer in global", .atMost(2.5), Operation(readPort)),
    ("nothing entered, object in global", .atMost(2.5), Operation(readStore)),
    (
        "reference with a scope of its own, integer", .atMost(2.5),
        Operation { count in for _ in 0..<count { blackHole(boundPort()) } }
    ),
    (
        "reference with a scope of its own, object", .atMost(2.5),
        Operation { count in for _ in 0..<count { blackHole(boundStore().number) } }
    ),
    (
        "reference with a scope of its own, optional value", .atMost(2.5),
        Operation { count in for _ in 0..<count { blackHole(boundUser()?.id ?? 0) } }
    ),
    (
        "reference with a scope of its own, a longer path, \\.user?.id", nil,
        Operation { count in for _ in 0..<count { blackHole(boundUserID() ?? 0) } }
    ),
    (
        "a struct of 5 @Injected, made", .atMost(12),
        Operation { count in
            for _ in 0..<count {
                let five = Five()
                blackHole(Int(bitPattern: ObjectIdentifier(five.$port)) ^ Int(bitPattern: ObjectIdentifier(five.$mail)))
                blackHole(
                    Int(bitPattern: ObjectIdentifier(five.$user)) ^ Int(bitPattern: ObjectIdentifier(five.$store))
                )
                blackHole(Int(bitPattern: ObjectIdentifier(five.$userName)))
            }
        }
    ),
]

// MARK: Requests

let own = Operation { count in
    for number in 0..<count {
        let request = EnvironmentScope("request", parent: app) { $0.port = number }
        request { blackHole(handler.port) }
    }
}
let ownOfGlobal = Operation { count in
    for number in 0..<count {
        let request = EnvironmentScope("request") { $0.port = number }
        request { blackHole(handler.port) }
    }
}
let ownObject = Operation { count in
    for _ in 0..<count {
        let request = EnvironmentScope("request", parent: app) { $0.store = service }
        request { blackHole(handler.store.number) }
    }
}
let fiveValues = Operation { count in
    for number in 0..<count {
        let request = EnvironmentScope("request", parent: app) {
            $0.port = number
            $0.userName = "ada"
            $0.user = User(id: number, name: "ada")
            $0.store = service
            $0.mail = service
        }
        request {
            for _ in 0..<10 { blackHole(handler.port &+ handler.store.number) }
        }
    }
}
let firstReads = Operation { count in
    for number in 0..<count {
        let request = EnvironmentScope("request", parent: app) { $0.port = number }
        request {
            blackHole(settings.setting0.number)
            blackHole(settings.setting1.number)
            blackHole(settings.setting2.number)
            blackHole(settings.setting3.number)
            blackHole(settings.setting4.number)
            blackHole(settings.setting5.number)
            blackHole(settings.setting6.number)
            blackHole(settings.setting7.number)
            blackHole(settings.setting8.number)
            blackHole(settings.setting9.number)
            blackHole(settings.setting10.number)
            blackHole(settings.setting11.number)
            blackHole(settings.setting12.number)
            blackHole(settings.setting13.number)
            blackHole(settings.setting14.number)
            blackHole(settings.setting15.number)
            blackHole(settings.setting16.number)
            blackHole(settings.setting17.number)
            blackHole(settings.setting18.number)
            blackHole(settings.setting19.number)
        }
    }
}
let oneService = Operation { count in
    for number in 0..<count {
        let request = EnvironmentScope("request", parent: app) { $0.port = number }
        request { blackHole(handler.port &+ handler.account.id) }
    }
}
let fiveServices = Operation { count in
    for number in 0..<count {
        let request = EnvironmentScope("request", parent: app) {
            $0.port = number
            $0.userName = "ada"
        }
        request { blackHole(handler.reply.page.greeting.account.id &+ handler.basket.mail.number) }
    }
}

let requests: [(String, Limit?, Operation)] = [
    ("1 value, enter, 1 read, child of global", .atMost(5, aim: 3), ownOfGlobal),
    ("1 value, enter, 1 read, child of a child of global", .atMost(5, aim: 3), own),
    ("1 object, enter, 1 read, child of a child of global", .atMost(5, aim: 3), ownObject),
    ("5 values, 3 of them objects or structs, enter, 20 reads", .atMost(25, aim: 15), fiveValues),
    ("1 value, enter, 20 values of its parent read once each", .atMost(40, aim: 25), firstReads),
    ("2 values, 5 services built on them and on 3 of the app's", .atMost(80, aim: 45), fiveServices),
]

// MARK: The lines

let section = "At the top level of a program"
var lines = reads.map { name, limit, operation in
    Line(.times, "\(section): reads", name, .reads, limit) { effort in
        Line.Measurement(Comparison(of: operation, to: read, effort))
    }
}
lines += requests.map { name, limit, operation in
    Line(.times, "\(section): requests", name, .bindings, limit) { effort in
        Line.Measurement(Comparison(of: operation, to: push, effort))
    }
}
lines.append(
    Line(
        .times,
        "\(section): requests",
        "1 service built from its value and one of the app's, beyond it",
        .bindings,
        .atMost(12, aim: 7)
    ) { effort in
        Line.Measurement(Comparison(of: oneService, beyond: own, to: push, effort))
    }
)

let options = Options.parseOrExit()
let selected = options.selected(lines)
if !selected.isEmpty {
    guard !BuildMode.isDebug else { Options.exit(withError: ValidationError(BuildMode.complaint)) }
    try Report.write(selected, options.effort)
}
