import Dispatch
import ScopedInjection
import Testing

private struct PortHandler: Sendable {
    @Injected(\.port) private var port
    func run() -> Int { port }
}

@available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
@MainActor
private final class Watcher {
    private let scope: Box<EnvironmentScope?>
    init(_ scope: Box<EnvironmentScope?>) { self.scope = scope }
    isolated deinit { scope.update { $0 = EnvironmentScope.current } }
}

@Suite("Documentation: concurrency")
struct ConcurrencyPage {
    @Test("A scope reaches child tasks and tasks, and what is bound to it")
    func reach() async {
        let request = EnvironmentScope("request", parent: nil) {
            $0.port = 1
        }
        await request {
            async let child = EnvironmentScope.current.port
            #expect(await child == 1)
            #expect(await Task { EnvironmentScope.current.port }.value == 1)
            #expect(await Task.detached { EnvironmentScope.current.name }.value != "request")
        }

        // ⟨Concurrency.md: let port⟩

        let greet = request.bind { (greeting: String) in "\(greeting), port \(EnvironmentScope.current.port)!" }
        #expect(greet("Hello") == "Hello, port 1!")
    }

    @Test("A queue runs what was bound in its scope")
    func queue() async {
        let request = EnvironmentScope("request", parent: nil) { $0.port = 7 }
        let queue = DispatchQueue(label: "documentation")
        let handler = PortHandler()
        let answer = await withCheckedContinuation { continuation in
            let done: @Sendable (Int) -> Void = { continuation.resume(returning: $0) }
            request {
                queue.async(execute: EnvironmentScope.current.bind { done(handler.run()) })
            }
        }
        #expect(answer == 7)
    }

    @Test("An isolated deinit runs in the global scope, also where its object is let go of in another one")
    @available(macOS 15.4, iOS 18.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
    @MainActor
    func isolatedDeinit() {
        let scope = Box<EnvironmentScope?>(nil)
        let request = EnvironmentScope.empty("request", parent: nil)
        request {
            var watcher: Watcher? = Watcher(scope)
            withExtendedLifetime(watcher) {}
            watcher = nil
        }
        #expect(scope.value === EnvironmentScope.global)
    }
}
