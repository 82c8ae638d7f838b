import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let number = ScopeValue(0)
    fileprivate static let renamed = ScopeValue(0)
    fileprivate static let shown = ScopeValue<Product>.required()
    fileprivate static let derived = ScopeValue { scope in "derived from \(scope.number)" }
    fileprivate static let session = ScopeValue<EnvironmentScope>(.transient) { scope in
        EnvironmentScope("session", parent: scope) { $0.host = "session" }
    }
    fileprivate static let detail = ScopeValue { scope in "\(scope.host) with \(scope.number)" }
    fileprivate static let detailOfDetail = ScopeValue { scope in scope.detail }
}

/// What a builder reads through a scope that goes.
private enum Route: CaseIterable {
    case value, derived, alias, inherited

    func read(_ scope: EnvironmentScope?) -> String {
        guard let scope else { return "gone" }
        return switch self {
        case .value: "\(scope.number)"
        case .derived: scope.derived
        case .alias: "\(scope.renamed)"
        case .inherited: (try? scope.inherited(\.number)).map { "inherited \($0)" } ?? "failed"
        }
    }
}

@Suite("R4: what a builder read through a scope that is gone")
struct GoneScopeTests {
    private let root = EnvironmentScope.empty("root", parent: nil)
    private let app: EnvironmentScope
    private let service = EnvironmentScope.empty("service", parent: nil)
    private let builds = Box(0)

    init() {
        app = EnvironmentScope.empty("app", parent: root)
        app.alias(\.renamed, to: \.number)
    }

    /// Provides a value that is built through scopes below `app`, which are gone afterwards.
    private func provide(_ route: Route, depth: Int = 1) {
        var scopes: [EnvironmentScope] = []
        for level in 0..<depth { scopes.append(.empty("scope \(level)", parent: scopes.last ?? app)) }
        if route == .inherited { scopes.last?.number = 9 }
        let weak = WeakScope()
        weak.scope = scopes.last
        service.provide(\.shown) { [builds] _ in
            builds.value += 1
            return Product(route.read(weak.scope))
        }
        _ = service.shown
        withExtendedLifetime(scopes) {}
    }

    private final class WeakScope: @unchecked Sendable {
        // Sendable because each test uses it on one thread.
        weak var scope: EnvironmentScope?
    }

    @Test("The value is rebuilt when what it was built from changes further out", arguments: Route.allCases, 1...3)
    private func change(_ route: Route, _ depth: Int) {
        root.number = 1
        provide(route, depth: depth)
        #expect(service.shown.text.hasSuffix("1"))
        root.number = 2
        #expect(service.shown.text == "gone")
        #expect(builds.value == 2)
    }

    @Test("The same for a default that is overridden further out", arguments: Route.allCases, 1...3)
    private func override(_ route: Route, _ depth: Int) {
        provide(route, depth: depth)
        #expect(service.shown.text.hasSuffix("0"))
        app.number = 2
        #expect(service.shown.text == "gone")
        #expect(builds.value == 2)
    }

    @Test("It stays while nothing of that changes", arguments: Route.allCases, [true, false])
    private func rest(_ route: Route, isSetInParent: Bool) {
        root.number = 1
        if isSetInParent { app.number = 2 }
        provide(route, depth: 2)
        let shown = service.shown
        root.host = "elsewhere"
        app.host = "elsewhere"
        service.number = 5
        #expect(service.shown === shown)
        #expect(builds.value == 1)
    }

    @Test("What the scope itself had does not change any more")
    func own() {
        var scope: EnvironmentScope? = EnvironmentScope("scope", parent: app) { $0.number = 1 }
        let weak = WeakScope()
        weak.scope = scope
        service.provide(\.shown) { _ in Product("\(weak.scope?.number ?? -1)") }
        let shown = service.shown
        scope = nil
        root.number = 2
        app.number = 3
        #expect(scope == nil)
        #expect(service.shown === shown)
    }

    @Test("A parent that goes before its child is passed as well")
    func parentFirst() {
        root.number = 1
        var outer: EnvironmentScope? = EnvironmentScope.empty("outer", parent: app)
        var inner: EnvironmentScope? = EnvironmentScope.empty("inner", parent: outer)
        let weak = WeakScope()
        weak.scope = inner
        service.provide(\.shown) { _ in Product(Route.value.read(weak.scope)) }
        #expect(service.shown.text == "1")
        outer = nil
        inner = nil
        let shown = service.shown
        root.number = 2
        #expect(service.shown !== shown)
        #expect(outer == nil && inner == nil)
    }

    // MARK: Scopes that other builders made

    @Test("What is read through a scope that a transient value made follows the asking scope")
    func transientScope() {
        root.number = 1
        root.provide(\.shown) { [builds] scope in
            builds.value += 1
            let session = scope.session
            return Product("\(session.number) \(session.detail)")
        }
        let request = EnvironmentScope.empty("request", parent: app)
        let shown = request.shown
        #expect(shown.text == "1 session with 1")
        request.host = "elsewhere"
        #expect(request.shown === shown)
        #expect(builds.value == 1)
        root.number = 2
        #expect(request.shown.text == "2 session with 2")
        request.number = 3
        #expect(request.shown.text == "3 session with 3")
        #expect(builds.value == 3)
    }

    @Test("What a scope keeps that a builder made does not hide what it was built from", arguments: 0...2)
    func keptInMadeScope(depth: Int) {
        let elsewhere = EnvironmentScope("elsewhere", parent: nil) { $0.number = 1 }
        root.provide(\.shown) { [builds] _ in
            builds.value += 1
            let made = EnvironmentScope("made", parent: elsewhere) { $0.host = "made" }
            var scopes = [made]
            for level in 0..<depth { scopes.append(.empty("child", parent: scopes[level])) }
            // Another thread comes first, so this one finds the value.
            onThread { _ = made.detailOfDetail }.wait()
            return withExtendedLifetime(scopes) { Product(scopes[depth].detailOfDetail) }
        }
        let shown = root.shown
        #expect(shown.text == "made with 1")
        elsewhere.host = "elsewhere"
        #expect(root.shown === shown)
        elsewhere.number = 2
        #expect(root.shown.text == "made with 2")
        #expect(builds.value == 2)
    }
}
