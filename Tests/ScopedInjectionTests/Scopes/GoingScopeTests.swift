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

@Suite("R8: a scope that goes while another thread reads below it")
struct GoingScopeTests {
    #if DEBUG
        @Test("A value that is stored in it as it goes is not looked into")
        func storedAsItGoes() async {
            await #expect(processExitsWith: .success) {
                let (isGoing, goesOn, isGone) = (Gate(), Gate(), Gate())
                let app = Box<EnvironmentScope?>(.empty("app", parent: nil))
                let request = EnvironmentScope.empty("request", parent: app.value)
                app.value?.replace(in: PortHolder())
                app.value?.provide(ReflectedKey.self) { _ in
                    Reflected {
                        goesOn.open()
                        isGone.wait()
                    }
                }
                request.observe { event in
                    guard event.kind == .built else { return }
                    Thread.detachNewThread {
                        let goOn = { @Sendable in
                            isGoing.open()
                            goesOn.wait()
                        }
                        Pause.$beforeCut.withValue(goOn) { app.value = nil }
                        isGone.open()
                    }
                    isGoing.wait()
                }
                _ = try? request.value(for: ReflectedKey.self)
                goesOn.open()
                isGone.wait()
            }
        }
    #endif

    @Test("A parent that is set while a child is configured goes with its owner")
    func parentSetInConfiguration() {
        let watch = LifetimeWatch()
        do {
            let scope = watch.add(EnvironmentScope.empty("scope", parent: nil))
            let parent = watch.add(EnvironmentScope.empty("parent", parent: nil))
            parent[ChildKey.self] = scope
            let child = EnvironmentScope("child", parent: scope) { _ in scope.parent = parent }
            #expect(child.parent?.parent === parent)
        }
        #expect(watch.alive == 0)
    }

    private enum ChildKey: ScopeKey { typealias Value = EnvironmentScope? }
}
