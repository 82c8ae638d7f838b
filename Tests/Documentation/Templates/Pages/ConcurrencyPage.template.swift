import ScopedInjection
import Testing

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
        // ⟨Concurrency.md: let request⟩

        // ⟨Concurrency.md: let port⟩

        let greet = request.bind { (greeting: String) in "\(greeting), port \(EnvironmentScope.current.port)!" }
        #expect(greet("Hello") == "Hello, port 1!")
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
