import ScopedInjection
import Testing

@Suite("Documentation: concurrency")
struct ConcurrencyPage {
    @Test("A scope reaches child tasks and tasks, and what is bound to it")
    func reach() async {
        let request = EnvironmentScope("request", parent: nil) { $0.port = 1 }
        await request {
            async let child = EnvironmentScope.current.port
            #expect(await child == 1)
            #expect(await Task { EnvironmentScope.current.port }.value == 1)
            #expect(await Task.detached { EnvironmentScope.current.name }.value != "request")
        }

        let port = request.bind { EnvironmentScope.current.port }
        #expect(await Task.detached(operation: { port() }).value == 1)

        let greet = request.bind { (greeting: String) in "\(greeting), port \(EnvironmentScope.current.port)!" }
        #expect(greet("Hello") == "Hello, port 1!")
    }
}
