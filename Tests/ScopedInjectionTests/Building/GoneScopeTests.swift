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

    @Test("The value is rebuilt once, without it", arguments: Route.allCases, 1...3)
    private func rebuilt(_ route: Route, _ depth: Int) {
        root.number = 1
        provide(route, depth: depth)
        let shown = service.shown
        #expect(shown.text == "gone")
        root.number = 2
        root.host = "elsewhere"
        #expect(service.shown === shown)
        #expect(builds.value == 2)
    }

    @Test("What was set there before it went, and read by nobody, does not count", arguments: [true, false])
    func setLast(wasSet: Bool) {
        root.number = 1
        var scope: EnvironmentScope? = .empty("scope", parent: app)
        if wasSet { scope?.number = 1 }
        let weak = WeakScope()
        weak.scope = scope
        service.provide(\.shown) { _ in Product(weak.scope.map { "\($0.number)" } ?? "gone") }
        #expect(service.shown.text == "1")
        scope?.number = 2
        scope = nil
        #expect(service.shown.text == "gone")
    }

    @Test("If it goes while the value is built, that is no reason to build without end")
    func goneMeanwhile() {
        service.provide(\.shown) { [app, builds] _ in
            builds.value += 1
            let made = Box<EnvironmentScope?>(nil)
            onThread { made.value = EnvironmentScope("made", parent: app) { $0.number = 5 } }.wait()
            return Product("\(made.value?.number ?? -1)")
        }
        #expect(service.shown.text == "5")
        #expect(builds.value == 1)
        #expect(service.shown.text == "5")
    }

    @Test("A parent that goes before its child is no other case")
    func parentFirst() {
        root.number = 1
        var outer: EnvironmentScope? = EnvironmentScope.empty("outer", parent: app)
        var inner: EnvironmentScope? = EnvironmentScope.empty("inner", parent: outer)
        let weak = WeakScope()
        weak.scope = inner
        service.provide(\.shown) { _ in Product(Route.value.read(weak.scope)) }
        #expect(service.shown.text == "1")
        outer = nil
        #expect(outer == nil)
        inner = nil
        #expect(service.shown.text == "gone")
        #expect(inner == nil)
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

    @Test("What is inherited past a scope that a transient value made is followed", arguments: [true, false])
    func inheritedPastTransientScope(isSetInRequest: Bool) {
        root.number = 1
        root.provide(\.shown) { [builds] scope in
            builds.value += 1
            let session = scope.session
            session.number = 9
            return Product("\(try session.inherited(\.number))")
        }
        let request = EnvironmentScope.empty("request", parent: app)
        if isSetInRequest { request.number = 2 }
        let shown = request.shown
        #expect(shown.text == (isSetInRequest ? "2" : "1"))
        root.host = "elsewhere"
        #expect(request.shown === shown)
        #expect(builds.value == 1)
        request.number = 3
        #expect(request.shown.text == "3")
    }

    @Test("A scope below one that a builder made counts like any other")
    func belowMade() {
        root.number = 1
        var session: EnvironmentScope? = root[Self.keptSession]
        var request: EnvironmentScope? = .empty("request", parent: session)
        let weak = WeakScope()
        weak.scope = request
        service.provide(\.shown) { _ in Product(weak.scope.map { $0.detail } ?? "gone") }
        #expect(service.shown.text == "session with 1")
        (request, session) = (nil, nil)
        root.provide(Self.keptSession) { _ in .empty(parent: nil) }
        _ = root[Self.keptSession]
        root.number = 2
        #expect(service.shown.text == "gone")
        #expect(request == nil && session == nil)
    }

    @Test("What such a scope had kept before it was read from is followed", arguments: 0...2)
    func keptInMadeScopeThatGoes(depth: Int) {
        app.number = 1
        let holder = EnvironmentScope.empty("holder", parent: nil)
        let made = (0...depth).map { ScopeValue<EnvironmentScope>.required(name: "made \($0)") }
        for level in 0...depth {
            holder.provide(made[level]) { [app] scope in
                if level > 0 { return .empty("child", parent: scope[made[level - 1]]) }
                return EnvironmentScope("session", parent: app) { $0.host = "session" }
            }
        }
        let weak = WeakScope()
        weak.scope = holder[made[depth]]
        // No builder needs it yet, so only the value itself tells what it was built from.
        #expect(holder[made[0]].detailOfDetail == "session with 1")
        service.provide(\.shown) { _ in Product(weak.scope.map { $0.detailOfDetail } ?? "gone") }
        let shown = service.shown
        #expect(shown.text == "session with 1")
        holder.removeAll()
        #expect(weak.scope == nil)
        #expect(service.shown === shown)
        app.number = 2
        #expect(service.shown.text == "gone")
    }

    private static let keptSession = ScopeValue<EnvironmentScope>(.shared) { scope in
        EnvironmentScope("session", parent: scope) { $0.host = "session" }
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

    @Test("What such a scope keeps, and who else asked for it, does not matter to where the reader is kept")
    func keptForAnother() {
        root.provide(\.shown) { scope in
            let made = EnvironmentScope.empty("made", parent: scope)
            made.provide(\.detail) { "\($0.number)" }
            onThread { _ = EnvironmentScope.empty("child", parent: made).detail }.wait()
            return Product(made.detail)
        }
        let first = EnvironmentScope("first", parent: app) { $0.number = 1 }
        let second = EnvironmentScope.empty("second", parent: app)
        #expect(first.shown.text == "1")
        #expect(second.shown.text == "0")
        #expect(first.shown === first.localValue(for: \.shown))
    }
}
