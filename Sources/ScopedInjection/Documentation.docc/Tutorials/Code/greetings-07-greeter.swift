import ScopedInjection

final class Greeter: Sendable {
    private let greeting: String
    private let visitor = Injected(\.visitor)

    init(greeting: String) { self.greeting = greeting }

    func greet() -> String { "\(greeting), \(visitor() ?? "stranger")!\n" }
}
