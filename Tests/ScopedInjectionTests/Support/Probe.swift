import ScopedInjection
import Synchronization

/// Counts and delays the builds of one test.
final class Probe: Sendable {
    let builds = Atomic(0)
    let started = Gate()
    let mayEnd = Gate()

    /// Counts a build, and delays the first one until it may end.
    func noteBuild() {
        guard builds.wrappingAdd(1, ordering: .relaxed).newValue == 1 else { return }
        started.open()
        mayEnd.wait()
    }

    /// A scope in which builders find the probe.
    func makeApp() -> EnvironmentScope { EnvironmentScope("app", parent: nil) { $0.probe = self } }
}

extension ScopeValues { static var probe: ScopeValue<Probe> { .required() } }
