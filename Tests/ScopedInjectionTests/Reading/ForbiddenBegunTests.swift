import ScopedInjection
import Testing

private final class Begun: Sendable {}

extension ScopeValues {
    fileprivate static var pool: ScopeValue<Begun> { .lazy(.once(in: .application)) { _ in Begun() } }
    fileprivate static var store: ScopeValue<[Begun]> { .required() }
    fileprivate static var cart: ScopeValue<Begun> { .lazy(.once(in: .request)) { try $0.pool } }
    fileprivate static var page: ScopeValue<String> { .lazy { (try? $0.cart) == nil ? "no cart" : "a cart" } }
}

@Suite("R16: a default that stays is forbidden where it is asked for, whoever keeps it", .programRoots)
struct ForbiddenBegunTests {
    private let app = EnvironmentScope("app", role: .application, parent: nil) {
        $0.provide(\.store) { [try $0.pool] }
    }

    @Test("Whether the application has begun it before or not", arguments: [false, true])
    func forbidden(hasBegun: Bool) throws {
        if hasBegun { #expect(app.store == [app.pool]) }
        let strict = EnvironmentScope.empty("strict", parent: app, defaults: .forbidden)
        for _ in 0..<2 {
            #expect(throws: ScopeError.self) { try strict.value(for: \.pool) }
            #expect(throws: ScopeError.self) { try strict.value(for: \.store) }
        }
        #expect(app.localValue(for: \.pool) === (hasBegun ? app.pool : nil))
        let below = EnvironmentScope.empty("below", parent: strict, defaults: .allowed)
        #expect(below.pool === app.pool && below.store == app.store)
    }

    @Test("What survives the failure of a default that stays is a default, too") func survivor() throws {
        let root = EnvironmentScope.empty("root", parent: nil)
        let request = EnvironmentScope.empty("request", role: .request, parent: root)
        let strict = EnvironmentScope.empty("strict", parent: request, defaults: .forbidden)
        #expect(request.page == "no cart")
        #expect(throws: ScopeError.self) { try strict.value(for: \.page) }
        withExtendedLifetime(root) {}
    }

    @Test("What is set is given") func set() throws {
        let strict = EnvironmentScope("strict", parent: app, defaults: .forbidden) { $0.pool = Begun() }
        #expect(strict.pool !== app.pool)
        #expect(try strict.value(for: \.store) == [strict.pool])
    }
}

extension Begun: Equatable { static func == (one: Begun, other: Begun) -> Bool { one === other } }
