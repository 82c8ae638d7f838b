import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("Each case of a test has a scope of its own")
struct ScopeTraitTests {
    @Test("A case's scope is standalone, current, and has the trait's values", .withoutIssues, .scope { $0.port = 1 })
    func standalone() {
        #expect(EnvironmentScope.current.port == 1)
        #expect(EnvironmentScope.current.parent == nil)
        #expect(EnvironmentScope.current !== EnvironmentScope.global)
    }

    @Test("A case's scope has the name of the test", .scope())
    func name() { #expect(EnvironmentScope.current.name == "A case's scope has the name of the test") }

    @Test("Each argument has one", .withoutIssues, .scope(strictness: .off) { $0.port = 0 }, arguments: 0..<20)
    func arguments(_ number: Int) async {
        #expect(EnvironmentScope.current.port == 0)
        EnvironmentScope.current.port = number
        await Task.yield()
        #expect(EnvironmentScope.current.port == number)
        // Kept, so that no other scope gets its address.
        Self.scopes.update { [scope = EnvironmentScope.current] scopes in
            #expect(!scopes.contains { $0 === scope })
            scopes.append(scope)
        }
    }
    private static let scopes = Box<[EnvironmentScope]>([])

    @Test(
        "A case's scope is current while its values are set, which may take time",
        .scope { scope in
            scope.port = await Task.detached { 7 }.value
            scope.host = "host of \(Injected(\.port)())"
            #expect(EnvironmentScope.current === scope)
        }
    )
    func currentWhileConfigured() { #expect(EnvironmentScope.current.host == "host of 7") }

    @Test("A test on the main actor is in its scope, too", .scope { $0.port = 1 })
    @MainActor func mainActor() async {
        #expect(EnvironmentScope.current.port == 1)
        await Task.yield()
        #expect(Injected(\.port)() == 1)
    }
}

@Suite("The parent of a test's scope")
struct ScopeTraitParentTests {
    private static let app = EnvironmentScope("app", parent: nil) {
        $0.port = 1
        $0.host = "app"
    }

    @Test("What the test does not set comes from the parent", .withoutIssues, .scope(parent: app) { $0.port = 2 })
    func parent() {
        #expect(EnvironmentScope.current.port == 2)
        #expect(EnvironmentScope.current.host == "app")
        #expect(EnvironmentScope.current.parent === Self.app)
        #expect(Self.app.port == 1)
    }

    @Test("A scope that a program makes by withScope is no child of the test's", .withoutIssues, .scope { $0.port = 2 })
    func programScope() async {
        await EnvironmentScope.withScope("app") {
            $0.host = "app"
        } operation: { app in
            let other = EnvironmentScope("other", parent: nil) { $0.host = "other" }
            #expect(app.parent == nil)
            #expect(app.host == "app")
            #expect(app.explain(\.port).description == other.explain(\.port).description)
            #expect(app.depth == other.depth)
        }
        #expect(EnvironmentScope.current.port == 2)
    }

    private static let count = Box(0)
    private static func counted() -> EnvironmentScope {
        count.update { $0 += 1 }
        return .empty("fresh", parent: nil)
    }

    @Test("It is made once for each case", .withoutIssues, .scope(parent: counted()), .scope("inner"), arguments: 0..<5)
    func freshParent(_ number: Int) async throws {
        let parent = try #require(EnvironmentScope.current.parent)
        #expect(parent.localValue(for: \.port) == nil)
        parent.port = number
        await Task.yield()
        #expect(EnvironmentScope.current.port == number)
        #expect(Self.count.value <= 5)
    }
}

@Suite(
    "The traits of a suite and of its tests make one scope",
    .withoutIssues,
    .scope {
        $0.port = 1
        $0.host = "suite"
    }
)
final class ScopeTraitSuiteTests {
    private let portInInit = EnvironmentScope.current.port
    private let scopeInInit = EnvironmentScope.current

    deinit {
        #expect(EnvironmentScope.current === scopeInInit)
        #expect(!scopeInInit.isClosed)
    }

    @Test("The suite's init and deinit are in it, and the closing is after them", arguments: 0..<5)
    func instance(_ number: Int) {
        #expect(portInInit == 1)
        #expect(scopeInInit === EnvironmentScope.current)
        #expect(EnvironmentScope.current.parent == nil)
    }

    @Test(
        "A test's trait sets more values in it, before the instance is made",
        .scope("own name", parent: EnvironmentScope("app", parent: nil) { $0.token = Token(text: "app") }) { scope in
            #expect(scope.host == "suite")
            scope.port = 2
            scope.user = User(name: "Ada")
        }
    )
    func refined() {
        #expect(portInInit == 2)
        #expect(EnvironmentScope.current.host == "suite")
        #expect(EnvironmentScope.current.user?.name == "Ada")
        #expect(EnvironmentScope.current.token.text == "app")
        #expect(EnvironmentScope.current.name == "own name")
    }

    @Suite(.scope { $0.host += " inner" })
    struct Inner {
        @Test("Nested suites set values in it, outermost first", .scope { $0.host += " test" }, .scope { $0.port += 1 })
        func nested() {
            #expect(EnvironmentScope.current.host == "suite inner test")
            #expect(EnvironmentScope.current.port == 2)
            #expect(EnvironmentScope.current.parent == nil)
        }

        @Suite struct Innermost {
            @Test("A suite without a trait is in it, too")
            func deeplyNested() { #expect(EnvironmentScope.current.host == "suite inner") }
        }
    }
}

@Suite("The end of a test's scope")
struct ScopeTraitEndTests {
    private static let log = Box<[String]>([])

    @Test(
        "Cleanups are awaited, last first",
        .afterwards { #expect(log.value == ["body", "second", "first"]) },
        .scope { scope in
            scope.onClose { Self.log.update { $0.append("first") } }
            scope.onClose {
                for _ in 0..<10 { await Task.yield() }
                Self.log.update { $0.append("second") }
            }
        }
    )
    func cleanups() { Self.log.update { $0.append("body") } }

    private static let logOfThrowing = Box<[String]>([])

    @Test(
        "A test that throws is cleaned up after, and its error passes",
        .issues { issues in #expect(issues.map { $0.error is CancellationError } == [true]) },
        .afterwards { #expect(logOfThrowing.value == ["cleanup"]) },
        .scope { $0.onClose { Self.logOfThrowing.update { $0.append("cleanup") } } }
    )
    func throwing() throws { throw CancellationError() }

    private static let logOfTrait = Box<[String]>([])

    @Test(
        "What a trait's closure throws fails the test before it starts, and what was set up is cleaned up",
        .issues { issues in #expect(issues.map { $0.error is CancellationError } == [true]) },
        .afterwards { #expect(logOfTrait.value == ["cleanup"]) },
        .scope { $0.onClose { Self.logOfTrait.update { $0.append("cleanup") } } },
        .scope { _ in throw CancellationError() }
    )
    func neverStarted() { Self.logOfTrait.update { $0.append("body") } }
}
