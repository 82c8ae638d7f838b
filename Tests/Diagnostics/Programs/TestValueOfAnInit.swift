import ScopedInjection

struct Outbox: Sendable {}

extension ScopeValues {
    static var outbox: ScopeValue<Outbox> { .lazy(inTests: .init()) { _ in Outbox() } }
    static var box: ScopeValue<Outbox> { .value(.init(), inTests: .init()) }
    // error: missing argument for parameter 'host' in call
    static var mailer: ScopeValue<Mailer> { .lazy(inTests: .init()) { _ in Mailer(host: "") } }
}

struct Mailer: Sendable { let host: String }
