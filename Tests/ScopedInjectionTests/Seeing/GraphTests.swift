import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var database: ScopeValue<Product> { .lazy { Product("db(\(try $0.host))") } }
    fileprivate static var clock: ScopeValue<Product> { .lazy(.transient) { _ in Product("now") } }
    fileprivate static var repository: ScopeValue<Product> {
        .lazy { Product("\(try $0.database.text) \(try $0.user?.name ?? "") \(try $0.clock.text)") }
    }
    fileprivate static func list<Element: Sendable>(of: Element.Type) -> ScopeValue<[String: Element]> {
        .value([:], id: ObjectIdentifier(Element.self))
    }
}

@Suite("The graph of values and their inputs", .programRoots)
struct GraphTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let request: EnvironmentScope

    init() {
        app.host = "db.local"
        app.provide(\.port) { _ in 1 }
        request = .empty("request", parent: app).with(\.user, User(name: "Ann"))
        _ = request.repository
    }

    @Test("Each value is a node of the scope that holds it, and each input an edge") func nodesAndEdges() {
        let graph = request.graph
        let text = """
            database in "app" (built) ← host in "app" (set)
            host in "app" (set)
            port in "app" (provided)
            repository in "request" (built) ← database in "app" (built), user in "request" (set), clock (transient)
            user in "request" (set)
            clock (transient)
            """
        #expect(graph.description == text)
        #expect(graph.nodes.map(\.name) == ["database", "host", "port", "repository", "user", "clock"])
        #expect(graph.nodes.map(\.scope) == ["app", "app", "app", "request", "request", nil])
        #expect(graph.edges.map { [$0.value, $0.input] } == [[0, 1], [3, 0], [3, 4], [3, 5]])
    }

    @Test("A decorated value was built from what its inherited one was, and has the places of its decorations")
    func decorated() {
        request.decorate(\.database, line: 7) { Product("\($0.text), \(try $1.user?.name ?? "")") }
        _ = request.database
        let text = """
            database in "request" (built, decorated at \(#fileID):7) ← database in "app" (built), user in "request" (set)
            """
        #expect(request.graph.description.contains(text))
    }

    @Test("The graph of an outer scope has nothing of the scopes below it, and nothing that is out of date")
    func outerScope() {
        #expect(app.graph.nodes.map(\.name) == ["database", "host", "port"])
        app.host = "other"
        #expect(app.graph.nodes.map(\.name) == ["host", "port"])
        #expect(app.graph.edges.isEmpty)
    }

    @Test("Mermaid text has a box for each scope") func mermaid() {
        let text = """
            flowchart LR
                subgraph s0["app"]
                    n0("database<br/><small>Product</small>")
                    n1["host<br/><small>String</small>"]
                    n2{{"port<br/><small>Int</small>"}}
                end
                n0 --> n1

            """
        #expect(app.graph.mermaid == text)
        #expect(request.graph.mermaid.contains(#">"clock<br/><small>Product</small>"]"#))
    }

    @Test("Names that mean something to Mermaid are escaped") func escaping() {
        let scope = EnvironmentScope.empty("a \"b\" <c> #1\\\nd", parent: nil)
        scope[ScopeValues.list(of: Int.self)] = [:]
        #expect(scope.graph.mermaid.contains(#"subgraph s0["a #quot;b#quot; &lt;c&gt; #35;1\ d"]"#))
        #expect(scope.graph.mermaid.contains("<br/><small>[String: Int]</small>"))
    }

    @Test("The order is the same however the values came to be there; an empty scope has an empty graph")
    func order() {
        let pictures = (0..<20).map { _ in
            let scope = EnvironmentScope.empty(parent: nil)
            for set in [{ scope.port = 1 }, { scope.host = "h" }, { scope.user = nil }].shuffled() { set() }
            return scope.graph.mermaid
        }
        #expect(Set(pictures).count == 1)
        let empty = EnvironmentScope.empty(parent: nil).graph
        #expect(empty.nodes.isEmpty)
        #expect(empty.mermaid == "flowchart LR\n    subgraph s0[\"unnamed scope\"]\n    end\n")
    }
}
