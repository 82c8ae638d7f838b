import Foundation
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

    /// Does both on threads of their own: the second begins while the first one's builder, which notes its build, is delayed.
    ///
    /// - Parameter meanwhile: Runs between the two.
    func overlap(
        _ first: @escaping @Sendable () -> Void,
        meanwhile: () -> Void = {},
        _ second: @escaping @Sendable () -> Void
    ) {
        let first = onThread(first)
        started.wait()
        meanwhile()
        let asked = Gate()
        let second = onThread {
            asked.open()
            second()
        }
        asked.wait()
        // A waiting thread cannot be seen from outside.
        for _ in 0..<10 { sched_yield() }
        mayEnd.open()
        first.wait()
        second.wait()
    }

    /// A scope in which builders find the probe.
    func makeApp() -> EnvironmentScope { EnvironmentScope("app", parent: nil) { $0.probe = self } }
}

extension ScopeValues { static var probe: ScopeValue<Probe> { .required() } }
