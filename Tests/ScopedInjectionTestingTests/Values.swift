import ScopedInjection

// The values that most suites use.

struct User: Sendable, Equatable { var name: String }
struct Token: Sendable, Equatable { var text: String }

extension ScopeValues {
    static var port: ScopeValue<Int> { .value(8080) }
    static var host: ScopeValue<String> { .value("localhost") }
    static var address: ScopeValue<String> { .lazy(isSafeInTests: true) { try "\($0.host):\($0.port)" } }
    static var limit: ScopeValue<Int> { .value(100) }
    static var unit: ScopeValue<String> { .value("EUR") }
    static var retries: ScopeValue<Int> { .value(5, inTests: 0) }
    static var depth: ScopeValue<Int> { .value(3, isSafeInTests: true) }
    static var user: ScopeValue<User?> { .optional() }
    static var token: ScopeValue<Token> { .required() }
    static func flag(_ name: String) -> ScopeValue<Bool> { .value(false, id: name) }
}
