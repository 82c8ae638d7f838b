import ArgumentParser
import Client
import Harness
import ScopedInjection

/// A program of its own, because a process that has once made use of something cannot be one that has not.
@main
struct ElsewhereCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Elsewhere",
        abstract: "Tells what a request takes, in P, in a process that makes use of something in another tree."
    )

    @Argument var use: Use
    @Argument var request: Request

    enum Request: String, ExpressibleByArgument {
        case storing
        case building
    }

    func run() {
        let app = EnvironmentScope("app") {
            $0.store = Store()
            $0.mail = Mail()
            $0.calendar = Calendar()
        }
        let used = use.begin(app: app)
        let (storing, building) = (StoringRequests(), BuildingRequests())
        let operation =
            switch request {
            case .storing: Operation { storing.serveFiveObjects(under: app, $0) }
            case .building: Operation { building.buildFive(under: app, $0) }
            }
        let comparison = Comparison(
            of: operation,
            to: Operation { [service = Service()] in Baselines.pushReadPop($0, service) },
            .quick
        )
        withExtendedLifetime(used) { print(comparison.ratio) }
    }
}

extension Use: ExpressibleByArgument {}
