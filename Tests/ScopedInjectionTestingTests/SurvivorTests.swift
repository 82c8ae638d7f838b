import ScopedInjection
import ScopedInjectionTesting
import Testing

extension ScopeValues {
    fileprivate static var child: ScopeValue<EnvironmentScope?> { .optional() }
    fileprivate static var reference: ScopeValue<Injected<Int>> { .required() }
}

@Suite("What outlives a test")
struct SurvivorTests {
    private static let reference = Box<Injected<Int>?>(nil)

    @Test(
        "A reference that stays bound is named by its line",
        .issues { issues in
            let issue = try #require(issues.first)
            let text = """
                Alive after the test:
                  The test's scope "bound", which a task, closure, reference or child scope holds.
                  The reference at Server/Client.swift:42, bound to the test's scope or one below.
                  To fix it: await the tasks that the test starts, and let go of closures, references \
                and scopes before it ends.
                """
            #expect(issue.text == text)
            #expect(issue.isFailure == false && issue.line == 42)
            #expect(issues.count == 1)
        },
        .afterwards { reference.update { $0 = nil } },
        .scope("bound")
    )
    func boundReference() {
        let bound = Injected(\.port, scope: .current, fileID: "Server/Client.swift", line: 42)
        Self.reference.update { $0 = bound }
    }

    @Test("A parent goes with the case, with what it holds", .withoutIssues, .scope(parent: .empty("app", parent: nil)))
    func valueOfParentHoldsScope() { EnvironmentScope.current.parent?.child = .empty("request") }

    private static let child = Box<EnvironmentScope?>(nil)

    @Test(
        "A child scope is named, though the test's scope is gone",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [true])
            #expect(issues.first?.text.hasPrefix("Alive after the test:\n  The child scope \"request\".\n") == true)
        },
        .afterwards { child.update { $0 = nil } },
        .scope(strictness: .failures)
    )
    func childScope() {
        let request = EnvironmentScope.empty("request", parent: .current)
        Self.child.update { $0 = request }
    }

    @Test(
        "What the test's own values hold goes with them",
        .withoutIssues,
        .scope { scope in
            scope.port = 1
            scope.child = EnvironmentScope.empty("child", parent: scope)
            scope.reference = Injected(\.port)
        }
    )
    func owned() {
        let reference = EnvironmentScope.current.reference
        #expect(EnvironmentScope.current.replace(in: reference) == 1)
        #expect(reference() == 1)
        #expect(EnvironmentScope.current.child?.port == 1)
    }

    @Test("Many scopes and bindings that come and go are not reported", .withoutIssues, .scope { $0.port = 1 })
    func manyGone() {
        let port = Injected(\.port)
        for _ in 0..<1000 {
            port.scope = .empty("child")
            #expect(port() == 1)
        }
    }

    @Test("Tasks, callbacks and scopes that are over are not reported", .withoutIssues, .scope { $0.port = 1 })
    func over() async {
        await Task { #expect(EnvironmentScope.current.port == 1) }.value
        await Task.detached(operation: EnvironmentScope.current.bind { #expect(Injected(\.port)() == 1) }).value
        #expect(await onQueue(EnvironmentScope.current.bind { Injected(\.port)() }) == 1)
        await EnvironmentScope.current.withChild("request") { #expect(EnvironmentScope.current.port == 1) }
        let bound = Injected(\.port, scope: .current)
        #expect(bound() == 1)
    }
}
