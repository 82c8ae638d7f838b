import ScopedInjection
import ScopedInjectionTesting
import Testing

private final class Begun: Sendable {
    let other: Begun?

    init(_ other: Begun? = nil) { self.other = other }
}

extension ScopeValues {
    fileprivate static var pool: ScopeValue<Begun> {
        .lazy(.once(in: .application), isSafeInTests: true) { _ in Begun() }
    }
    fileprivate static var cart: ScopeValue<Begun> {
        .lazy(.once(in: .request), isSafeInTests: true) { Begun(try $0.pool) }
    }
}

@Suite("R17: the scope of a test has every role")
struct EveryRoleTests {
    @Test("It is the scope of each role that none further in has", .withoutIssues, .scope { _ in }) func everyRole() {
        let scope = EnvironmentScope.current
        #expect(scope.localValue(for: \.cart) == nil)
        #expect(scope.cart === scope.cart)
        #expect(scope.localValue(for: \.pool) === scope.pool)
        let request = EnvironmentScope.empty("request", role: .request)
        #expect(request.cart !== scope.cart && request.cart.other === scope.pool)
    }

    @Test(
        "Below an application, too, so what begins sees what it sets",
        .withoutIssues,
        .scope(parent: Self.app) { _ in }
    )
    func below() {
        let scope = EnvironmentScope.current
        #expect(scope.pool !== Self.app.pool)
        #expect(scope.cart.other === scope.localValue(for: \.pool))
        // Production would have it there, so it is told nothing.
        #expect(EnvironmentScope.empty("job").pool === scope.pool)
    }

    private static let app = EnvironmentScope.empty("app", role: .application, parent: nil)

    @Test(
        "A scope without the role that begins a value there is told, once, because elsewhere that is an error",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [false])
            let text = """
                cart (Begun) was read in "job", and is kept in the test's scope, which has every role.
                  Elsewhere that is an error: no scope here was made for the role request.
                  To fix it: make "job", or one around it, with role: .request.
                """
            #expect(issues.first?.text == text)
        },
        .scope { _ in }
    )
    func told() async {
        await EnvironmentScope.current.withChild("job") {
            #expect(EnvironmentScope.current.cart === EnvironmentScope.current.cart)
        }
    }
}
