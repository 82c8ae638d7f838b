import Client
import Harness
import ScopedInjection

/// Requests that need what takes long to build, all at once.
enum Waiting {
    static let lines = [
        Line(
            .times,
            "Many requests at once",
            "40, 50 ms of work before the first input of their own; against 50 ms",
            .times,
            .atMost(4, aim: 1.1)
        ) { _ in
            let seconds = Repetition.seconds(preparing: app) { app in
                Crowd.run(40) { SlowService.serve($0 + 1, under: app) }
            }
            return Line.Measurement(seconds / SlowService.seconds)
        }
    ]

    /// An application in which the service was built before, for another request.
    private static func app() -> EnvironmentScope {
        let app = EnvironmentScope("app") { $0.port = 1 }
        SlowService.serve(0, under: app)
        return app
    }
}
