import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var product: ScopeValue<Product> { .lazy { Product(try $0.host) } }
    fileprivate static var missing: ScopeValue<Int> { .required() }
    fileprivate static var failing: ScopeValue<Int> { .lazy { try $0.missing } }
}

@Suite("The name of a scope is optional, and in quotes in texts", .programRoots)
struct ScopeNameTests {
    private static let unnamed = "unnamed scope"

    @Test("An explanation tells a keeper without a name from no keeper", arguments: [nil, "app", unnamed])
    func explanations(name: String?) {
        let scope = EnvironmentScope.empty(name, parent: nil)
        #expect(scope.explain(\.product).keptBecause == nil)
        scope.host = "here"
        _ = scope.product
        let explanation = scope.explain(\.product)
        #expect(explanation.keptBecause != nil && explanation.keptIn == name)
        #expect(explanation.inputs.map(\.scope) == [name])
        #expect(explanation.description.contains("kept in \(shown(name))\n"))
        #expect(explanation.description.contains("host (String): set in \(shown(name))\n"))
    }

    @Test("So does an event", arguments: [nil, "app", unnamed]) func events(name: String?) throws {
        let scope = EnvironmentScope.empty(name, parent: nil)
        let events = scope.events()
        scope.host = "here"
        _ = scope.product
        _ = try? scope.value(for: \.failing)
        try #require(events.value.map(\.kind) == [.built, .failed])
        #expect(events.value.map(\.scope) == [name, name])
        #expect(events.value[0].description.contains(", kept in \(shown(name)) because host (String) is set there"))
        #expect(events.value[1].description.contains(" for \(shown(name)) in "))
    }

    @Test("A graph has the names, the outermost scope first", arguments: [nil, "app", unnamed])
    func graphs(name: String?) {
        let parent = EnvironmentScope.empty(name, parent: nil)
        let scope = EnvironmentScope("request", parent: parent) { $0.port = 1 }
        parent.host = "here"
        #expect(scope.graph.nodes.map(\.scope) == [name, "request"])
        #expect(scope.graph.description.hasPrefix("host in \(shown(name)) (set)\n"))
    }

    private func shown(_ name: String?) -> String { name.map { "\"\($0)\"" } ?? Self.unnamed }
}
