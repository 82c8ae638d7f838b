import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let visitor = ScopeValue("nobody")
    fileprivate static let text = ScopeValue { _ in "" }
    fileprivate static let view = ScopeValue<EnvironmentScope>(.transient) { $0 }
    fileprivate static let session = ScopeValue<EnvironmentScope>(.transient) { .empty("session", parent: $0) }
    fileprivate static let makeUser = ScopeValue<@Sendable () -> String>(.transient) { scope in { scope.visitor } }
    fileprivate static let bound = ScopeValue<@Sendable () -> String>(.transient) { scope in
        scope.bind { EnvironmentScope.current.visitor }
    }
    fileprivate static let plain = ScopeValue<Int>(.transient) { scope in
        EnvironmentScope("made", parent: scope) { $0.visitor = "made" }.visitor.count
    }
}

/// The ways in which a transient value may lead to the scope that it was built for.
private enum Route: CaseIterable {
    case view, session, closure, bound

    func visitor(_ scope: EnvironmentScope) -> String {
        switch self {
        case .view: scope.view.visitor
        case .session: scope.session.visitor
        case .closure: scope.makeUser()
        case .bound: scope.bound()
        }
    }
}

@Suite("R4: a transient value that keeps the scope it was built with")
struct TransientScopeTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    private func request(_ visitor: String) -> EnvironmentScope {
        EnvironmentScope("request", parent: app) { $0.visitor = visitor }
    }

    @Test("What is read through it in a builder reaches no other request", arguments: Route.allCases)
    private func read(_ route: Route) {
        app.provide(\.text) { scope in "for \(route.visitor(scope))" }
        #expect(request("Ann").text == "for Ann")
        #expect(request("Bob").text == "for Bob")
        #expect(app.text == "for nobody")
    }

    @Test("What is read through it, below the builder's scope, reaches no other request", arguments: Route.allCases)
    private func readInMadeScope(_ route: Route) {
        app.provide(\.text) { scope in
            let made = EnvironmentScope.empty("made", parent: scope)
            return withExtendedLifetime(made) { "for \(route.visitor(made))" }
        }
        #expect(app.text == "for nobody")
        #expect(request("Ann").text == "for Ann")
        #expect(request("Bob").text == "for Bob")
        app.visitor = "all"
        #expect(app.text == "for all")
    }

    private static let seen = ScopeValue { scope in scope.view.visitor }

    @Test("What a value reads through it is followed where the value is built below the builder's scope")
    func readByValueOfMadeScope() {
        app.provide(\.text) { scope in
            let made = EnvironmentScope.empty("made", parent: scope)
            return withExtendedLifetime(made) { "for \(made[Self.seen])" }
        }
        #expect(app.text == "for nobody")
        #expect(request("Ann").text == "for Ann")
        app.visitor = "all"
        #expect(app.text == "for all")
    }

    @Test("A service that keeps it belongs to the request that asked", arguments: [true, false])
    private func service(isRead: Bool) {
        let service = ScopeValue<EnvironmentScope>(.shared) { scope in scope.view }
        let ann = request("Ann")
        let bob = request("Bob")
        if isRead { #expect(ann[service].visitor == "Ann") }
        #expect(bob[service].visitor == "Bob")
        #expect(ann[service].visitor == "Ann")
    }

    @Test("One that keeps nothing of it is no reason to build anew")
    func plain() {
        let builds = Box(0)
        app.provide(\.text) { scope in
            builds.update { $0 += 1 }
            return "\(scope.plain)"
        }
        for _ in 0..<3 { #expect(request("Ann").text == "4") }
        #expect(builds.value == 1)
    }
}
