import ScopedInjection
import Testing

private enum DatabaseKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("db(\(scope.host))") }
}
private enum RepositoryKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product {
        Product("repo(\(scope[DatabaseKey.self].text), \(scope.user?.name ?? ""), \(scope[ClockKey.self].text))")
    }
}
private enum ClockKey: ScopeKey {
    static let lifetime = ValueLifetime.transient
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("now") }
}
private enum SuffixKey: ScopeKey { static let defaultValue = "" }
private enum BoxKey<Content: Sendable>: ScopeKey { static var defaultValue: [String: Content] { [:] } }

@Suite("The graph of values and their inputs")
struct GraphTests {
    let app = EnvironmentScope.empty("app", parent: nil)
    let request: EnvironmentScope

    init() {
        app.host = "db.local"
        app.provide(PortKey.self) { _ in 1 }
        request = .empty("request", parent: app).with(\.user, User(name: "Ann"))
        _ = request[RepositoryKey.self]
    }

    @Test("Each value is a node of the scope that holds it, and each input an edge")
    func nodesAndEdges() {
        let graph = request.graph
        #expect(graph.scopes == ["app", "request"])
        #expect(
            graph.description == """
                DatabaseKey in "app" (built) ← HostKey in "app" (set)
                HostKey in "app" (set)
                PortKey in "app" (provided)
                RepositoryKey in "request" (built) ← DatabaseKey in "app" (built), UserKey in "request" (set), \
                ClockKey (transient)
                UserKey in "request" (set)
                ClockKey (transient)
                """
        )
        #expect(graph.nodes.map(\.id) == Array(graph.nodes.indices))
    }

    @Test("A value that decorates another one was built from what that was built from")
    func decorated() {
        let root = EnvironmentScope.empty("root", parent: nil)
        let app = EnvironmentScope("app", parent: root) {
            $0.host = "local"
            $0.provide(DatabaseKey.self) { Product("app's " + (try $0.inherited(DatabaseKey.self)).text) }
        }
        let request = EnvironmentScope("request", parent: app) {
            $0.host = "other"
            $0.provide(DatabaseKey.self) { Product("request's " + (try $0.inherited(DatabaseKey.self)).text) }
        }
        #expect(app[DatabaseKey.self].text == "app's db(local)")
        #expect(request[DatabaseKey.self].text == "request's app's db(other)")
        #expect(
            request.graph.description == """
                DatabaseKey in "app" (built) ← HostKey in "app" (set)
                HostKey in "app" (set)
                DatabaseKey in "request" (built) ← HostKey in "request" (set)
                HostKey in "request" (set)
                """
        )
    }

    @Test("What was read through another scope is a node of the scope that holds it, if that is in the chain")
    func throughAnotherScope() throws {
        let other = EnvironmentScope("other", parent: nil) { $0[SuffixKey.self] = "other" }
        request.port = 2
        request.provide(TokenKey.self) { [app] _ in Token(text: "\(app.port) \(other[SuffixKey.self])") }
        #expect(request.token.text == "1 other")
        let graph = request.graph
        let token = try #require(graph.nodes.first { $0.key == "TokenKey" })
        let inputs = graph.edges.filter { $0.value == token.id }.map { graph.nodes[$0.input] }
        #expect(inputs.map(\.key) == ["PortKey", "SuffixKey"])
        #expect(inputs.map(\.scope) == [0, nil])
        #expect(inputs.map(\.kind) == [.built, .elsewhere])
        #expect(graph.mermaid.contains("[/"))
        #expect(graph.dot.contains("shape=parallelogram"))
    }

    @Test("The graph of an outer scope has nothing of the scopes below it")
    func outerScope() {
        #expect(app.graph.scopes == ["app"])
        #expect(app.graph.nodes.map(\.key) == ["DatabaseKey", "HostKey", "PortKey"])
    }

    @Test("Values that are out of date are not drawn, and drawing releases nothing")
    func outOfDate() {
        app.host = "other"
        #expect(app.graph.nodes.map(\.key) == ["HostKey", "PortKey"])
        #expect(app.graph.edges.isEmpty)
    }

    @Test("Mermaid text has a box for each scope")
    func mermaid() {
        #expect(
            request.graph.mermaid == """
                flowchart LR
                    subgraph s0["app"]
                        n0("DatabaseKey<br/><small>Product</small>")
                        n1["HostKey<br/><small>String</small>"]
                        n2{{"PortKey<br/><small>Int</small>"}}
                    end
                    subgraph s1["request"]
                        n3("RepositoryKey<br/><small>Product</small>")
                        n4["UserKey<br/><small>Optional&lt;User&gt;</small>"]
                    end
                        n5>"ClockKey<br/><small>Product</small>"]
                    n0 --> n1
                    n3 --> n0
                    n3 --> n4
                    n3 --> n5

                """
        )
    }

    @Test("Graphviz text has a cluster for each scope")
    func dot() {
        let dot = app.graph.dot
        #expect(dot.hasPrefix("digraph scopes {\n"))
        #expect(dot.contains("subgraph cluster_0 {\n        label=\"app\";"))
        #expect(dot.contains(#"n0 [label="DatabaseKey\nProduct", shape=box, style=rounded];"#))
        #expect(dot.contains(#"n2 [label="PortKey\nInt", shape=hexagon];"#))
        #expect(dot.hasSuffix("    n0 -> n1;\n}\n"))
        #expect(request.graph.dot.contains(#"[label="ClockKey\nProduct", shape=box, style="rounded,dashed"];"#))
    }

    @Test("Names that mean something to the drawing languages are escaped")
    func escaping() {
        let scope = EnvironmentScope.empty("a \"b\" <c> #1\\\nd", parent: nil)
        scope[BoxKey<Int>.self] = [:]
        #expect(scope.graph.mermaid.contains(#"subgraph s0["a #quot;b#quot; &lt;c&gt; #35;1\ d"]"#))
        #expect(scope.graph.mermaid.contains("BoxKey&lt;Int&gt;<br/><small>Dictionary&lt;String, Int&gt;</small>"))
        #expect(scope.graph.dot.contains(#"label="a \"b\" <c> #1\\ d";"#))
    }

    @Test("The order is the same however the values came to be there")
    func order() {
        let names = (0..<20).map { _ in
            let scope = EnvironmentScope.empty("s", parent: nil)
            for set in [{ scope.port = 1 }, { scope.host = "h" }, { scope.user = nil }].shuffled() { set() }
            return scope.graph.mermaid
        }
        #expect(Set(names).count == 1)
    }

    @Test("An empty scope has an empty graph")
    func empty() {
        let graph = EnvironmentScope.empty(parent: nil).graph
        #expect(graph.nodes.isEmpty)
        #expect(graph.scopes == ["unnamed scope"])
        #expect(graph.mermaid == "flowchart LR\n    subgraph s0[\"unnamed scope\"]\n    end\n")
    }
}
