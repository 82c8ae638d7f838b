import ScopedInjection

extension ScopeValues {
    static var greeting: ScopeValue<String> { .value("Hello", isSafeInTests: true) }
    static var greeter: ScopeValue<Greeter> {
        .lazy(isSafeInTests: true) { Greeter(greeting: try $0.greeting) }
    }
}
