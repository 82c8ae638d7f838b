import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("A scope for each test case")
struct ScopeTraitTests {
    @Test("The case runs in a standalone scope with the trait's values", .withoutIssues, .scope { $0.port = 1 })
    func standalone() {
        #expect(EnvironmentScope.current.port == 1)
        #expect(EnvironmentScope.current.parent == nil)
        #expect(EnvironmentScope.current !== EnvironmentScope.global)
    }

    @Test("The scope has the name of the test", .scope())
    func name() { #expect(EnvironmentScope.current.name == "The scope has the name of the test") }

    @Test(.scope())
    func nameOfFunction() { #expect(EnvironmentScope.current.name == "nameOfFunction()") }

    private static let evaluations = Box(0)
    private static func noParent() -> EnvironmentScope? {
        evaluations.update { $0 += 1 }
        return nil
    }

    @Test("The parent is evaluated once for each case", .scope(parent: noParent()), .scope("inner"), arguments: [1])
    func parentOnce(_: Int) { #expect(Self.evaluations.value == 1) }

    @Test("A name of its own is the scope's", .scope("server"))
    func ownName() { #expect(EnvironmentScope.current.name == "server") }

    // That the scopes are kept is reported.
    @Test(
        "Each argument has a scope of its own",
        .issues { issues in #expect(issues.map(\.isFailure) == [false]) },
        .scope { $0.port = 0 },
        arguments: 0..<20
    )
    func arguments(_ number: Int) async {
        #expect(EnvironmentScope.current.port == 0)
        EnvironmentScope.current.port = number
        await Task.yield()
        #expect(EnvironmentScope.current.port == number)
        #expect(Self.scopes.update { $0.insert(ObjectIdentifier(EnvironmentScope.current)).inserted })
        // Kept, so that no other scope gets its address.
        Self.kept.update { [scope = EnvironmentScope.current] in $0.append(scope) }
    }
    private static let scopes = Box<Set<ObjectIdentifier>>([])
    private static let kept = Box<[EnvironmentScope]>([])

    @Test(
        "The scope is current while its values are set",
        .scope { scope in
            scope.port = 1
            scope.host = "host of \(Injected(\.port)())"
            #expect(EnvironmentScope.current === scope)
        }
    )
    func currentWhileConfigured() { #expect(EnvironmentScope.current.host == "host of 1") }

    @Test(
        "Values can be waited for",
        .scope { scope in
            await Task.yield()
            scope.port = await Task.detached { 7 }.value
        }
    )
    func asynchronousValues() { #expect(EnvironmentScope.current.port == 7) }

    @Test("A test on the main actor is in its scope too", .scope { $0.port = 1 })
    @MainActor
    func mainActor() async {
        #expect(EnvironmentScope.current.port == 1)
        await Task.yield()
        #expect(Injected(\.port)() == 1)
    }

    @Test("The trait works whatever made it", .shared)
    func sharedTrait() { #expect(EnvironmentScope.current.port == 99) }
}

extension Trait where Self == ScopeTrait {
    fileprivate static var shared: Self { .scope { $0.port = 99 } }
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

    @Test("A parent can be made for each case", .scope(parent: .empty("fresh", parent: nil)), arguments: 0..<10)
    func freshParent(_ number: Int) async throws {
        let parent = try #require(EnvironmentScope.current.parent)
        #expect(parent.localValue(for: PortKey.self) == nil)
        parent.port = number
        await Task.yield()
        #expect(EnvironmentScope.current.port == number)
    }

    private static let count = Box(0)
    private static func counted() -> EnvironmentScope {
        count.update { $0 += 1 }
        return .empty("counted", parent: nil)
    }

    @Test("A parent is made once for a case", .withoutIssues, .scope(parent: counted()))
    func countedParent() { #expect(Self.count.value == 1) }

    @Test(
        "A cleanup still has the parent",
        .withoutIssues,
        .scope(parent: EnvironmentScope("fresh", parent: nil) { $0.port = 1 })
    )
    func parentInCleanup() {
        let port = Injected(\.port)
        EnvironmentScope.current.onClose { #expect(port() == 1) }
    }
}

@Suite(
    "The trait of a suite",
    .withoutIssues,
    .scope {
        $0.port = 1; $0.host = "suite"
    }
)
final class ScopeTraitSuiteTests {
    private let portInInit = EnvironmentScope.current.port
    private let scopeInInit = EnvironmentScope.current
    private static let deinits = Box<[Int]>([])

    init() {
        EnvironmentScope.current.onClose { [scope = EnvironmentScope.current] in
            #expect(Self.deinits.value.contains(ObjectIdentifier(scope).hashValue))
        }
    }

    deinit {
        #expect(EnvironmentScope.current.port == portInInit)
        #expect(!scopeInInit.isClosed)
        Self.deinits.update { [hash = ObjectIdentifier(EnvironmentScope.current).hashValue] in $0.append(hash) }
    }

    @Test("The suite's init and deinit are inside, the closing is after them", arguments: 0..<5)
    func instance(_ number: Int) {
        #expect(portInInit == 1)
        #expect(scopeInInit === EnvironmentScope.current)
        #expect(EnvironmentScope.current.parent == nil)
    }

    @Test(
        "A test's trait sets more values in the same scope, before the instance is made",
        .scope("own name") { scope in
            #expect(scope.host == "suite")
            scope.port = 2
            scope.user = User(name: "Ada")
        }
    )
    func refined() {
        #expect(portInInit == 2)
        #expect(EnvironmentScope.current.host == "suite")
        #expect(EnvironmentScope.current.user?.name == "Ada")
        #expect(EnvironmentScope.current.parent == nil)
        #expect(EnvironmentScope.current.name == "own name")
    }

    @Test(
        "A refining trait can forbid defaults and give a parent",
        .scope(
            parent: EnvironmentScope("app", parent: nil) { $0.token = Token(text: "app") },
            defaults: .forbidden
        )
    )
    func refinedOptions() {
        #expect(EnvironmentScope.current.token.text == "app")
        #expect(throws: ScopeError.self) { try EnvironmentScope.current.value(for: AddressKey.self) }
        #expect(EnvironmentScope.current.user == nil)
    }

    @Suite(
        .scope {
            $0.host += " inner"; $0.user = nil
        }
    )
    struct Inner {
        @Test("Traits of nested suites refine it, outermost first", .scope { $0.host += " test" })
        func nested() {
            #expect(EnvironmentScope.current.host == "suite inner test")
            #expect(EnvironmentScope.current.port == 1)
            #expect(EnvironmentScope.current.parent == nil)
        }

        @Suite struct Innermost {
            @Test("A suite without a trait is in it too")
            func deeplyNested() { #expect(EnvironmentScope.current.host == "suite inner") }
        }
    }

    @Test("Several traits of one test refine in their order", .scope { $0.port = 5 }, .scope { $0.port += 1 })
    func several() { #expect(EnvironmentScope.current.port == 6) }
}

extension ScopeTraitSuiteTests {
    @Test("A test in an extension is in it too")
    func inExtension() { #expect(EnvironmentScope.current.port == 1) }
}

@Suite("The end of a test's scope", .serialized)
struct ScopeTraitEndTests {
    private static let log = Box<[String]>([])

    /// Stands outside the scope, so it runs when the scope is over.
    struct AfterTheEnd: TestTrait, TestScoping {
        let check: @Sendable () -> Void

        @concurrent
        func provideScope(
            for test: Test,
            testCase: Test.Case?,
            performing function: @concurrent @Sendable () async throws -> Void
        ) async throws {
            ScopeTraitEndTests.log.update { $0 = [] }
            do {
                try await function()
            } catch {
                ScopeTraitEndTests.log.update { $0.append("error") }
                check()
                throw error
            }
            check()
        }
    }

    @Test(
        "Cleanups are awaited, last first",
        AfterTheEnd { #expect(log.value == ["body", "second", "first"]) },
        .scope { scope in
            scope.onClose { Self.log.update { $0.append("first") } }
            scope.onClose {
                for _ in 0..<10 { await Task.yield() }
                Self.log.update { $0.append("second") }
            }
        }
    )
    func cleanups() { Self.log.update { $0.append("body") } }

    @Test(
        "A test that throws is cleaned up after, and its error passes",
        .issues { issues in #expect(issues.map { $0.error is CancellationError } == [true]) },
        AfterTheEnd { #expect(log.value == ["cleanup", "error"]) },
        .scope { $0.onClose { Self.log.update { $0.append("cleanup") } } }
    )
    func throwing() throws { throw CancellationError() }

    @Test(
        "What the trait's closure throws fails the test before it starts, and what it had set up is cleaned up",
        .issues { issues in #expect(issues.map { $0.error is CancellationError } == [true]) },
        AfterTheEnd { #expect(log.value == ["cleanup", "error"]) },
        .scope {
            $0.onClose { Self.log.update { $0.append("cleanup") } }
            throw CancellationError()
        }
    )
    func neverStarted() { Self.log.update { $0.append("body") } }

    @Test(
        "What a refining trait throws closes the scope too",
        .issues { issues in #expect(issues.map { $0.error is CancellationError } == [true]) },
        AfterTheEnd { #expect(log.value == ["cleanup", "error"]) },
        .scope { $0.onClose { Self.log.update { $0.append("cleanup") } } },
        .scope { _ in throw CancellationError() }
    )
    func neverStartedByRefining() { Self.log.update { $0.append("body") } }
}
