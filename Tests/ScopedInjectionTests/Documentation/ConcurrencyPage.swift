import Dispatch
import ScopedInjection
import Testing

private struct Refusal: Error { let code: Int }

private struct Handler: Sendable {
    @Injected(\.port) private var port
    func run() -> Int { port }
}

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

    @Test("A queue runs what was bound in its scope")
    func queue() async {
        let request = EnvironmentScope("request", parent: nil) { $0.port = 1 }
        let queue = DispatchQueue(label: "documentation")
        let handler = Handler()
        let answer = await withCheckedContinuation { continuation in
            let done: @Sendable (Int) -> Void = { continuation.resume(returning: $0) }
            request {
                queue.async(execute: EnvironmentScope.current.bind { done(handler.run()) })
            }
        }
        #expect(answer == 1)
    }

    @Test("Errors keep their type")
    func errors() {
        let request = EnvironmentScope.empty("request", parent: nil)
        func failing() throws(Refusal) { throw Refusal(code: 3) }
        do {
            try request { () throws(Refusal) in try failing() }
        } catch {
            #expect(error.code == 3)
        }
    }
}
