import ScopedInjection
import ScopedInjectionTesting
import Testing

private final class Repository<Entity>: Sendable {
    let database: any Database
    init(database: any Database) { self.database = database }
}

// ⟨DeclaringValues.md: static func repository⟩ private

@Suite("Documentation: declaring values")
struct DeclaringValuesPage {
    // ⟨DeclaringValues.md: @Test(.scope { $0[⟩

    @Test("A generic function is one value for each type")
    func families() {
        let app = EnvironmentScope.empty("app", parent: nil)
        let handler = UserHandler()
        #expect(app { handler.users } === app[ScopeValues.repository(of: User.self)])
        #expect(app { handler.users } !== app[ScopeValues.repository(of: Token.self)])
    }
}
