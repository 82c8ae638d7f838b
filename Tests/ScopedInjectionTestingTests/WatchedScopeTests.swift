import ScopedInjection
import ScopedInjectionTesting
import Testing

private struct Factory: Sendable {
    let scope: EnvironmentScope
    let made: EnvironmentScope
}

extension ScopeValues {
    fileprivate static let factory = ScopeValue<Factory>.required()
}

@Suite("What the watch of a test's scope notes")
struct WatchedScopeTests {
    @Test(
        "A value that is read as the scope's own is read",
        .withoutIssues,
        .scope(strictness: .failures) { $0.port = 1 }
    )
    func localValue() { #expect(EnvironmentScope.current.localValue(for: PortKey.self) == 1) }

    @Test("One that a scope below does not hold itself is not")
    func localValueBelow() {
        let watch = CaseWatch { _, _ in true }
        let scope = watch.makeScope("test", parent: nil, defaults: nil)
        watch.note(.expected)
        scope.port = 1
        let child = EnvironmentScope.empty("child", parent: scope)
        #expect(child.localValue(for: PortKey.self) == nil)
        #expect(watch.end().unreadKeys == ["PortKey"])
    }

    @Test("A scope below one that a value has kept is watched too")
    func belowKeptScope() async throws {
        let late = Box<[String]>([])
        let watch = CaseWatch { event, _ in
            if case .lateRead(let read) = event { late.update { $0.append(read.key) } }
            return true
        }
        let scope = watch.makeScope("test", parent: nil, defaults: nil)
        watch.note(.expected)
        scope.port = 1
        scope.host = "read below"
        scope.provide(\.factory) { Factory(scope: $0, made: .empty("made", parent: $0)) }
        let factory = scope.factory
        let requests = [factory.scope, factory.made].map { EnvironmentScope.empty("request", parent: $0) }
        #expect(requests[0].port == 1)
        #expect(requests[1].host == "read below")
        #expect(watch.survivors.children == [#""request""#, #""request""#])
        #expect(watch.end().unreadKeys == [])
        #expect(requests.map(\.port) == [1, 1])
        #expect(late.value == ["PortKey"])
    }

    @Test("A read below the watched scope is told of, though that scope is gone")
    func belowGoneScope() throws {
        let late = Box<[String]>([])
        let watch = CaseWatch { event, _ in
            if case .lateRead(let read) = event { late.update { $0.append(read.key) } }
            return true
        }
        let child: EnvironmentScope
        do {
            let scope = watch.makeScope("test", parent: nil, defaults: nil)
            child = EnvironmentScope.empty("child", parent: scope)
            _ = watch.end()
        }
        #expect(throws: ScopeError.self) { try child.value(for: PortKey.self) }
        #expect(late.value == ["PortKey"])
    }

    @Test("A value that was removed again need not be read")
    func removedValues() {
        let watch = CaseWatch { _, _ in true }
        let scope = watch.makeScope("test", parent: nil, defaults: nil)
        watch.note(.expected)
        scope.port = 1
        scope.host = "unread"
        scope.removeValue(for: PortKey.self)
        #expect(watch.end().unreadKeys == ["HostKey"])
        scope.removeAll()
        #expect(watch.end().unreadKeys == [])
    }

    @Test("A reference that was bound many times outlives the test as one")
    func reboundReference() {
        let watch = CaseWatch { _, _ in true }
        let scope = watch.makeScope("test", parent: nil, defaults: nil)
        let port = Injected(\.port)
        for _ in 0..<100 { port.scope = scope }
        #expect(watch.survivors.references.count == 1)
        #expect(port() == 8080)
    }
}
