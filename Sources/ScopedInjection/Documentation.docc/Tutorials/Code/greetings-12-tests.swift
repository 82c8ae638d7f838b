import ScopedInjection
import ScopedInjectionTesting
import Testing

@testable import Greetings

@Suite(.scope { $0.greeting = "Good morning" })
struct GreeterTests {
    @Injected(\.greeter) private var greeter

    @Test func greetsAStranger() {
        #expect(greeter.greet() == "Good morning, stranger!\n")
    }

    @Test(.scope { $0.visitor = "Ada" })
    func greetsAVisitor() {
        #expect(greeter.greet() == "Good morning, Ada!\n")
    }
}
