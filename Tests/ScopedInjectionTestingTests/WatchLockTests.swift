import Dispatch
import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("No lock is held while something of the user's is let go of")
struct WatchLockTests {
    /// Uses the scope when it goes, as a user's value may.
    private final class Parting: Sendable {
        let scope: EnvironmentScope
        init(_ scope: EnvironmentScope) { self.scope = scope }
        deinit { _ = EnvironmentScope.empty("parting", parent: scope) }
    }

    @Test("Scopes that go while the watch looks for those that are gone")
    func watch() async {
        await #expect(processExitsWith: .success) {
            let watch = CaseWatch { _, _ in true }
            let scope = watch.makeScope("test", parent: nil, defaults: nil)
            let latest = Box<EnvironmentScope?>(nil)
            let isOver = Box(false)
            let letsGo = DispatchSemaphore(value: 0)
            DispatchQueue(label: "other").async {
                while !isOver.value { latest.update { $0 = nil } }
                letsGo.signal()
            }
            for _ in 0..<60_000 {
                let child = EnvironmentScope.empty("child", parent: scope)
                child[PartingKey.self] = Parting(scope)
                latest.update { $0 = child }
            }
            isOver.update { $0 = true }
            letsGo.wait()
        }
    }

    private enum PartingKey: ScopeKey { typealias Value = Parting? }
}
