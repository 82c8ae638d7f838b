import ScopedInjection
import ScopedInjectionTesting
import Testing

private final class Pool: Sendable {
    let path: String
    init(_ path: String) { self.path = path }
}

extension ScopeValues {
    fileprivate static var path: ScopeValue<String> { .value("live.db") }
    fileprivate static var pool: ScopeValue<Pool> { .lazy { Pool(try $0.path) } }
    fileprivate static var begun: ScopeValue<Pool> { .lazy(.once(in: .application)) { Pool(try $0.path) } }
    fileprivate static var onBegun: ScopeValue<Pool> { .lazy { Pool("on \(try $0.begun.path)") } }
    fileprivate static var provided: ScopeValue<Pool> { .required(.once(in: .application)) }
    fileprivate static var safe: ScopeValue<Pool> {
        .lazy(.once(in: .request), isSafeInTests: true) { Pool(try $0.provided.path) }
    }
    fileprivate static var onSafe: ScopeValue<String> { .lazy { "on \(try $0.safe.path)" } }
    fileprivate static var service: ScopeValue<String> { .lazy { "on \(try $0.pool.path)" } }
    fileprivate static var priced: ScopeValue<String> { .lazy { "\(try $0.pool.path) in \(try $0.unit)" } }
    fileprivate static var client: ScopeValue<String> { .lazy { "tries \(try $0.retries) times" } }
}

/// As a program makes it.
private func makeApp() -> EnvironmentScope {
    EnvironmentScope("app", role: .application, parent: nil) {
        $0.path = "prod.db"
        $0.provide(\.provided) { Pool(try $0.path) }
    }
}

@Suite("R16: what is built from what the test has set is the test's own")
struct OwnValueTests {
    @Test("Directly or not, also where it stays", .withoutIssues, .scope { $0.path = "test.db" }) func set() {
        let scope = EnvironmentScope.current
        for _ in 0..<2 { #expect([scope.service, scope.pool.path] == ["on test.db", "test.db"]) }
        #expect([scope.begun.path, scope.onBegun.path] == ["test.db", "on test.db"])
        #expect(EnvironmentScope.empty("request", role: .request).service == "on test.db")
    }

    @Test("So below an application that has its own", .withoutIssues, .scope(parent: makeApp()) { $0.path = "test.db" })
    func belowApp() {
        #expect([EnvironmentScope.current.begun.path, EnvironmentScope.current.service] == ["test.db", "on test.db"])
        // By way of what is provided, or safe, and stays.
        #expect(EnvironmentScope.empty("request", role: .request).onSafe == "on test.db")
    }

    @Test(
        "What the application has set is none of the test's, whoever keeps what was built from it",
        .issues { issues in
            #expect(issues.map(\.value) == ["begun", "pool"])
            #expect(issues.first?.text.contains("set it, or what it is built from (path), in the test") == true)
        },
        .scope(parent: Self.shared),
        arguments: 0..<3
    )
    func ofApp(_ number: Int) {
        #expect([EnvironmentScope.current.begun.path, EnvironmentScope.current.service] == ["prod.db", "on prod.db"])
    }

    private static let shared = makeApp()

    @Test(
        "What is set further in by the code under test is none of the test's",
        .issues { issues in #expect(issues.map(\.value) == ["pool"]) },
        .scope { $0.path = "test.db" }
    )
    func setBelow() { #expect(EnvironmentScope("tenant") { $0.path = "tenant.db" }.pool.path == "tenant.db") }

    @Test(
        "A live default beside it is told, and the report lists what was let through and all that was given on the way",
        .issues { issues in
            #expect(issues.map(\.value) == ["unit"])
            #expect(issues.first?.text.contains("\n  Given so, too: priced; built from what the test sets") == true)
            #expect(
                issues.first?.text.hasSuffix("\n  Not told, because built from what the test has set: pool.") == true
            )
        },
        .scope { $0.path = "test.db" }
    )
    func otherLeaf() { #expect(EnvironmentScope.current.priced == "test.db in EUR") }

    @Test(
        "Values for tests and allowed ones speak for themselves only",
        .issues { issues in #expect(issues.map(\.value) == ["client", "pool"]) },
        .scope(allowing: \.path)
    )
    func given() {
        #expect(EnvironmentScope.current.client == "tries 0 times")
        #expect(EnvironmentScope.current.pool.path == "live.db")
    }
}

@Suite("R16: parent: nil counts as a parent that is named", .scope(parent: makeApp()))
struct NoParentTests {
    @Test("A test of a suite with a parent may have none", .scope(parent: nil))
    func none() { #expect(EnvironmentScope.current.parent == nil) }

    @Test("Where it names none, it has the suite's", .scope { $0.limit = 1 })
    func suites() { #expect(EnvironmentScope.current.parent?.name == "app") }
}

@Suite("R16: a trait with a request makes two scopes", .scope(request: { $0.user = User(name: "Ada") }) { $0.port = 1 })
struct RequestTests {
    private func job(in app: EnvironmentScope?) -> String? {
        app.map { EnvironmentScope.empty("job", parent: $0) }?.user?.name
    }

    @Test("What leaves the request finds what production finds", .withoutIssues) func job() throws {
        #expect(EnvironmentScope.current.role == .request)
        #expect(EnvironmentScope.current.user?.name == "Ada")
        #expect(job(in: .current.parent) == nil)
        #expect(EnvironmentScope.current.parent?.port == 1)
    }

    @Test(
        "A test adds to both, and what it sets in the request is its own",
        .withoutIssues,
        .scope(request: { $0.path = "tenant.db" }) { $0.limit = 2 }
    )
    func refined() {
        #expect(EnvironmentScope.current.pool.path == "tenant.db")
        #expect(EnvironmentScope.current.parent?.limit == 2)
    }

    @Test("The request may be all that is set", .scope(request: { $0.user = nil }))
    func alone() { #expect(EnvironmentScope.current.user == nil) }
}
