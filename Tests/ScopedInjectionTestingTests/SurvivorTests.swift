import ScopedInjection
import ScopedInjectionTesting
import Testing

private enum ChildKey: ScopeKey { typealias Value = EnvironmentScope }
private enum ReferenceKey: ScopeKey { typealias Value = Injected<Int> }

private final class WeakScope: Sendable {
    private struct Content: Sendable { weak var scope: EnvironmentScope? }
    private let content = Box(Content())
    var scope: EnvironmentScope? { content.value.scope }

    func made() -> EnvironmentScope {
        let scope = EnvironmentScope.empty("app", parent: nil)
        content.update { $0.scope = scope }
        return scope
    }
}

extension EnvironmentScope {
    fileprivate func set(_ child: EnvironmentScope) { self[ChildKey.self] = child }
}

@Suite("What outlives a test")
struct SurvivorTests {
    private static let reference = Box<Injected<Int>?>(nil)

    @Test(
        "A reference that stays bound is named by its line",
        .issues { issues in
            let issue = try #require(issues.first)
            #expect(
                issue.text == """
                    Alive after the test:
                      The test's scope "bound", held by 1 task, closure, reference or child scope.
                      The reference at Server/Client.swift:42, bound to the test's scope or one below.
                      To fix it: await the tasks that the test starts, and let go of closures, references \
                    and scopes before it ends.
                    """
            )
            #expect(issue.isFailure == false)
            #expect(issue.line == 42)
            #expect(issues.count == 1)
        },
        .afterwards { reference.update { $0 = nil } },
        .scope("bound")
    )
    func boundReference() {
        let bound = Injected(\.port, scope: .current, fileID: "Server/Client.swift", line: 42)
        Self.reference.update { $0 = bound }
    }

    private static let parent = WeakScope()

    @Test(
        "A parent of the case alone goes with it, also if one of its values holds a scope of the case",
        .withoutIssues,
        .afterwards { #expect(parent.scope == nil) },
        .scope(parent: parent.made(), strictness: .failures)
    )
    func valueOfParentHoldsScope() {
        let request = EnvironmentScope.empty("request")
        EnvironmentScope.current.parent?.set(request)
    }

    private static let child = Box<EnvironmentScope?>(nil)

    @Test(
        "A child scope is named, though the test's scope is gone",
        .issues { issues in
            #expect(
                issues.map(\.text) == [
                    """
                    Alive after the test:
                      The child scope "request".
                      To fix it: await the tasks that the test starts, and let go of closures, references \
                    and scopes before it ends.
                    """
                ]
            )
            #expect(issues.first?.isFailure == true)
        },
        .afterwards { child.update { $0 = nil } },
        .scope(strictness: ScopeStrictness(survivors: .failures))
    )
    func childScope() {
        let request = EnvironmentScope.empty("request", parent: .current)
        Self.child.update { $0 = request }
    }

    private static let closure = Box<(@Sendable () -> Void)?>(nil)

    @Test(
        "A bound closure that is kept is reported",
        .issues { issues in #expect(issues.map { $0.text.contains("held by 1 task") } == [true]) },
        .afterwards { closure.update { $0 = nil } },
        .scope()
    )
    func boundClosure() {
        let bound = EnvironmentScope.current.bind {}
        Self.closure.update { $0 = bound }
    }

    @Test(
        "What the test's own values hold goes with them",
        .withoutIssues,
        .scope { scope in
            scope[ChildKey.self] = EnvironmentScope.empty("child", parent: scope)
            scope[ReferenceKey.self] = Injected(\.port)
        }
    )
    func owned() {
        let reference = EnvironmentScope.current[ReferenceKey.self]
        #expect(EnvironmentScope.current.replace(in: reference) == 1)
        #expect(reference() == 8080)
        #expect(EnvironmentScope.current[ChildKey.self].port == 8080)
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
