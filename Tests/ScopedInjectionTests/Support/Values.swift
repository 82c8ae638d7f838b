import ScopedInjection

// The values that most suites use.

struct User: Sendable, Equatable { var name: String }
struct Token: Sendable, Equatable { var text: String }

extension ScopeValues {
    static var port: ScopeValue<Int> { .value(8080) }
    static var log: ScopeValue<Log> { .required() }
    static var host: ScopeValue<String> { .value("localhost") }
    static var user: ScopeValue<User?> { .optional() }
    static var token: ScopeValue<Token> { .required() }
}
