// What a person sees who writes a measurement into a script: globals and closures at the top level of a program, the values
// declared in another module, the scope of the application a child of the global one, and somewhere a reference that is bound.
import ArgumentParser
import BlackHole
import Client
import Harness
import ScopedInjection

/// What limits are multiples of: a task-local of the program's own.
enum Local {
    @TaskLocal static var service: Service?
}

struct Handler: Sendable {
    @Injected(\.port) var port
    @Injected(\.service) var service
    @Injected(\.user) var user
    @Injected(\.reply) var reply
}

struct Five: Sendable {
    @Injected(\.port) var port
    @Injected(\.userName) var userName
    @Injected(\.user) var user
    @Injected(\.store) var store
    @Injected(\.mail) var mail
}

let service = Service()
let app = EnvironmentScope("app", setValues)
let handler = Handler()
let boundApp = EnvironmentScope("bound app", setValues)
let boundPort = Injected(\.port, scope: boundApp)
let boundService = Injected(\.service, scope: boundApp)
setValues(.global)

func setValues(_ scope: EnvironmentScope) {
    setOneOfEach(in: scope)
    scope.store = Store()
    scope.mail = Mail()
    scope.calendar = Calendar()
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
let readService: @Sendable (Int) -> Void = { count in for _ in 0..<count { blackHole(handler.service.number) } }
let readUser: @Sendable (Int) -> Void = { count in for _ in 0..<count { blackHole(handler.user?.id ?? 0) } }

let reads: [(String, Limit?, Operation)] = [
    ("entered scope, integer", .atMost(2, aim: 1.35), Operation(around: { inside in app { inside() } }, readPort)),
    ("entered scope, object", .atMost(2.3, aim: 1.8), Operation(around: { inside in app { inside() } }, readService)),
    (
        "entered scope, optional value", .atMost(2.3, aim: 1.8),
        Operation(around: { inside in app { inside() } }, readUser)
    ),
    ("nothing entered, integer in global", .atMost(2.3, aim: 1.5), Operation(readPort)),
    ("nothing entered, object in global", .atMost(2.3, aim: 1.5), Operation(readService)),
    (
        "reference with a scope of its own, integer", .atMost(2.3, aim: 1.1),
        Operation { count in for _ in 0..<count { blackHole(boundPort()) } }
    ),
    (
        "reference with a scope of its own, object", .atMost(2.3, aim: 1.1),
        Operation { count in for _ in 0..<count { blackHole(boundService().number) } }
    ),
    (
        "property of a scope, no reference", .atMost(1.1, aim: 0.8),
        Operation { count in for _ in 0..<count { blackHole(app.port) } }
    ),
    (
        "a struct of 5 @Injected, made", .atMost(12, aim: 9),
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
let fiveValues = Operation { count in
    for number in 0..<count {
        let request = EnvironmentScope("request", parent: app) {
            $0.port = number
            $0.userName = "ada"
            $0.user = User(id: number, name: "ada")
            $0.service = service
            $0.otherService = service
        }
        request {
            for _ in 0..<10 { blackHole(handler.port &+ handler.service.number) }
        }
    }
}
let fiveServices = Operation { count in
    for number in 0..<count {
        let request = EnvironmentScope("request", parent: app) {
            $0.requestID = number
            $0.userName = "ada"
        }
        request { blackHole(handler.reply.number) }
    }
}

let requests: [(String, Limit?, Operation)] = [
    ("1 value, enter, 1 read, child of global", .atMost(5, aim: 3.5), ownOfGlobal),
    ("1 value, enter, 1 read, child of a child of global", .atMost(5, aim: 3.5), own),
    ("5 values, 3 of them objects or structs, enter, 20 reads", .atMost(20, aim: 14), fiveValues),
    ("2 values, 5 services built on them and on 3 of the app's", .atMost(55, aim: 40), fiveServices),
]

// MARK: The lines

let section = "At the top level of a program"
let lines =
    reads.map { name, limit, operation in
        Line(.times, "\(section): reads", name, .reads, limit) { effort in
            Line.Measurement(Comparison(of: operation, to: read, effort))
        }
    }
    + requests.map { name, limit, operation in
        Line(.times, "\(section): requests", name, .bindings, limit) { effort in
            Line.Measurement(Comparison(of: operation, to: push, effort))
        }
    }

let options = Options.parseOrExit()
let selected = options.selected(lines)
if !selected.isEmpty {
    guard !BuildMode.isDebug else { Options.exit(withError: ValidationError(BuildMode.complaint)) }
    try Report.write(selected, options.effort)
}
