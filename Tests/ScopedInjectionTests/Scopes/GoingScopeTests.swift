import Foundation
import Testing

@testable import ScopedInjection

private final class PortHolder: Sendable { let port = Injected(\.port) }

/// A value that acts when reflection looks into it.
private struct Reflected: CustomReflectable, Sendable {
    let action: @Sendable () -> Void
    var customMirror: Mirror {
        action()
        return Mirror(self, children: [])
    }
}

private enum ReflectedKey: ScopeKey { typealias Value = Reflected }

/// What becomes of a scope, for threads that wait for it.
private final class Steps: Sendable {
    enum Step: Int { case isThere, isGoing, goesOn, isGone }

    private let step = Box(Step.isThere)
    func reach(_ next: Step) { step.update { if next.rawValue > $0.rawValue { $0 = next } } }
    func wait(for next: Step) { while step.value.rawValue < next.rawValue { sched_yield() } }
}

private final class WeakScope: Sendable {
    weak let scope: EnvironmentScope?
    init(_ scope: EnvironmentScope?) { self.scope = scope }
}

@Suite("R8: a scope that goes while another thread reads below it")
struct GoingScopeTests {
    #if DEBUG
        @Test("A value that is stored in it as it goes is not looked into")
        func storedAsItGoes() async {
            await #expect(processExitsWith: .success) {
                let steps = Steps()
                let app = Box<EnvironmentScope?>(.empty("app", parent: nil))
                let request = EnvironmentScope.empty("request", parent: app.value)
                app.value?.replace(in: PortHolder())
                app.value?.provide(ReflectedKey.self) { _ in
                    Reflected {
                        steps.reach(.goesOn)
                        steps.wait(for: .isGone)
                    }
                }
                request.observe { event in
                    guard event.kind == .built else { return }
                    Thread.detachNewThread {
                        let goOn = { @Sendable in
                            steps.reach(.isGoing)
                            steps.wait(for: .goesOn)
                        }
                        Pause.$beforeCut.withValue(goOn) { app.value = nil }
                        steps.reach(.isGone)
                    }
                    steps.wait(for: .isGoing)
                }
                _ = try? request.value(for: ReflectedKey.self)
                steps.reach(.goesOn)
                steps.wait(for: .isGone)
            }
        }
    #endif

    @Test("A parent that is set while a child is configured goes with its owner")
    func parentSetInConfiguration() {
        let gone: WeakScope
        do {
            let scope = EnvironmentScope.empty("scope", parent: nil)
            let parent = EnvironmentScope.empty("parent", parent: nil)
            parent[ChildKey.self] = scope
            gone = WeakScope(scope)
            let child = EnvironmentScope("child", parent: scope) { _ in scope.parent = parent }
            #expect(child.parent?.parent === parent)
        }
        #expect(gone.scope == nil)
    }

    private enum ChildKey: ScopeKey { typealias Value = EnvironmentScope? }
}
