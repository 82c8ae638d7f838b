import ScopedInjection
import Testing

// ⟨ConstructorOrReference.md: final class Greeter⟩ private

@Suite("Documentation: constructor or reference?")
struct ConstructorOrReferencePage {
    private let app = EnvironmentScope("app", parent: nil) { $0.greeting = "Welcome" }
    private let request: EnvironmentScope

    init() { request = EnvironmentScope("request", parent: app) { $0.user = User(name: "Ada") } }

    @Test("One service serves all requests, and sees what differs between them")
    func both() {
        // ⟨ConstructorOrReference.md: let greeter⟩

        #expect(request.greeter.greet() == "Welcome, nobody")
    }

    @Test("An override of an input builds another service, and an override of a reference is read")
    func rebuilding() {
        let greeter = request.greeter
        request.user = User(name: "Eve")
        #expect(request.greeter === greeter)
        #expect(request { greeter.greet() } == "Welcome, Eve")

        request.greeting = "Hi"
        #expect(request.greeter !== greeter)
        #expect(request { request.greeter.greet() } == "Hi, Eve")
        #expect(request { greeter.greet() } == "Welcome, Eve")
    }
}
