import ScopedInjection
import Testing

// ⟨References.md: struct Endpoint⟩ private

// ⟨References.md: final class Greeter⟩ private

@Suite("Documentation: references")
struct ReferencesPage {
    @Test("References read from the current scope, or from their own")
    func references() throws {
        // ⟨References.md: let app⟩
        #expect(test { address() } == "localhost:1")
        #expect(try test { try endpoint.$port.value() } == 1)

        // ⟨References.md: endpoint.$port.scope⟩

        // ⟨References.md: let mailer⟩
    }

    private let app = EnvironmentScope("app", parent: nil) { $0.greeting = "Welcome" }
    private let request: EnvironmentScope

    init() { request = EnvironmentScope("request", parent: app) { $0.user = User(name: "Ada") } }

    @Test("One service serves all requests, and sees what differs between them")
    func both() {
        let greeter = app.greeter
        #expect(request.greeter === greeter)
        #expect(request { greeter.greet() } == "Welcome, Ada")
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
