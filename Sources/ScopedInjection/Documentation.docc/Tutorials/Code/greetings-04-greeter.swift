import ScopedInjection

final class Greeter: Sendable {
    private let greeting: String

    init(greeting: String) { self.greeting = greeting }

    func greet() -> String { "\(greeting)!\n" }
}
