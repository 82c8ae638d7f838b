import ScopedInjection
import ScopedInjectionTesting
import Testing

private enum AliasKey: ScopeKey { static let defaultValue = 0 }

@Suite("Values that nothing read")
struct UnreadValueTests {
    @Test(
        "They are a warning at the test's line, by key",
        .issues { issues in
            #expect(
                issues.map(\.text) == [
                    """
                    Set for the test, but never read: HostKey, AddressKey.
                      To fix it: remove what is not needed, or find out why the code under test does not read it.
                    """
                ]
            )
            #expect(issues.first?.isFailure == false)
            #expect(issues.first?.line == issues.first?.test?.sourceLocation.line)
        },
        .scope(strictness: .warnings) { scope in
            scope.port = 1
            scope.host = "unread"
            scope.user = nil
            scope.provide(AddressKey.self) { _ in "unread" }
            scope.provide(TokenKey.self) { _ in Token(text: "read") }
        }
    )
    func unread() {
        #expect(EnvironmentScope.current.port == 1)
        #expect(EnvironmentScope.current.user == nil)
        #expect(EnvironmentScope.current.token.text == "read")
    }

    @Test(
        "They are a failure where the test is strict about them",
        .issues { issues in #expect(issues.map(\.isFailure) == [true]) },
        .scope(strictness: ScopeStrictness(unreadValues: .failures)) { $0.port = 1 }
    )
    func strict() {}

    @Test(
        "A value that is read below, elsewhere or while the values are set is read",
        .withoutIssues,
        .scope(strictness: .warnings) { scope in
            scope.port = 1
            scope.host = "read by \(scope.port)"
            scope.user = User(name: "Ada")
            scope.token = Token(text: "bound")
        }
    )
    func readSomewhere() async {
        let child = EnvironmentScope.empty("child", parent: .current)
        #expect(child.host == "read by 1")
        await withTaskGroup { group in
            group.addTask { #expect(EnvironmentScope.current.user?.name == "Ada") }
        }
        #expect(await onQueue(EnvironmentScope.current.bind { Injected(\.token.text)() }) == "bound")
    }

    @Test("A value that a builder reads is read", .withoutIssues, .scope(strictness: .warnings) { $0.port = 1 })
    func readByBuilder() { #expect(EnvironmentScope.current.address == "localhost:1") }

    @Test("A value that is read through an alias is read")
    func readThroughAlias() {
        let watch = CaseWatch { _, _ in true }
        let scope = watch.makeScope("test", parent: nil, defaults: nil)
        watch.note(.expected)
        scope.alias(AliasKey.self, to: PortKey.self)
        scope[AliasKey.self] = 1
        scope.host = "unread"
        #expect(scope[AliasKey.self] == 1)
        #expect(watch.end().unreadKeys == ["HostKey"])
    }

    @Test(
        "A value that is read only where it is overridden is not",
        .issues { issues in
            #expect(issues.map { $0.text.prefix(51) } == ["Set for the test, but never read: PortKey, HostKey."])
        },
        .scope(strictness: .warnings) {
            $0.port = 1
            $0.host = "test"
        }
    )
    func overridden() {
        let child = EnvironmentScope("child", parent: .current) { $0.port = 2 }
        child.provide(HostKey.self) { _ in "child" }
        #expect(child.port == 2)
        #expect(child.host == "child")
    }

    @Test(
        "A value that was read only before it was set anew is not",
        .issues { issues in
            #expect(issues.map { $0.text.prefix(42) } == ["Set for the test, but never read: PortKey."])
        },
        .scope(strictness: .warnings) {
            $0.port = 1
            $0.port += 1
        }
    )
    func setAnew() {}

    @Test("What the test itself sets need not be read", .withoutIssues, .scope(strictness: .warnings))
    func setInTest() { EnvironmentScope.current.port = 1 }

    @Test(
        "Of a test that throws nothing is said",
        .issues { issues in #expect(issues.map { $0.error is CancellationError } == [true]) },
        .scope(strictness: .warnings) { $0.port = 1 }
    )
    func throwing() throws { throw CancellationError() }

    @Suite(
        .withoutIssues,
        .scope(strictness: .warnings) {
            $0.port = 1
            $0.host = "suite"
        }
    )
    struct OfSuite {
        @Test("What a suite sets for all its tests need not be read by each", arguments: 0..<2)
        func unread(_ number: Int) {}

        @Suite struct Nested {
            @Test("Nor by those of a suite in it") func unread() {}
        }
    }

    @Suite(
        .issues { issues in
            #expect(issues.map { $0.text.prefix(42) } == ["Set for the test, but never read: PortKey."])
        },
        .scope(strictness: .warnings) {
            $0.port = 1
            $0.host = "suite"
        }
    )
    struct AnewInTest {
        @Test("What a test sets anew is its own", .scope(strictness: .warnings) { $0.port += 1 })
        func unread() {}
    }

    @Suite(
        .issues { issues in
            #expect(issues.map { $0.text.prefix(42) } == ["Set for the test, but never read: HostKey."])
        },
        .setting { $0.port = 1 }
    )
    struct OfOneHelper {
        @Test(
            "What a test sets is its own, also where its trait and the suite's come of one function",
            .setting { $0.host = "test" }
        )
        func unread() {}
    }
}

extension Trait where Self == ScopeTrait {
    fileprivate static func setting(_ configure: @escaping @Sendable (EnvironmentScope) -> Void) -> ScopeTrait {
        .scope(strictness: .warnings) { configure($0) }
    }
}
