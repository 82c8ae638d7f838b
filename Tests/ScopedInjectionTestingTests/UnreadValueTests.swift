import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("Values that a test's own trait sets and nothing reads are told to a test that asks for it")
struct UnreadValueTests {
    @Test(
        "Values that nothing reads are told by name, at the test's line",
        .issues { issues in
            #expect(
                issues.map(\.text) == [
                    """
                    Set for the test, but never read: host, address.
                      To fix it: remove what is not needed, or find out why the code under test does not read it.
                    """
                ]
            )
            #expect(issues.first?.isFailure == false)
            #expect(issues.first?.line == issues.first?.test?.sourceLocation.line)
        },
        .asking { scope in
            scope.port = 1
            scope.host = "unread"
            scope.user = nil
            scope.limit = 2
            scope.provide(\.address) { _ in "unread" }
            scope.provide(\.token) { _ in Token(text: "read") }
        }
    )
    func unread() {
        #expect(EnvironmentScope.current.port == 1)
        #expect(EnvironmentScope.current.user == nil)
        #expect(EnvironmentScope.current.token.text == "read")
        EnvironmentScope.current.removeValue(for: \.limit)
    }

    @Test(
        "A value is read in a scope below, elsewhere, by a builder, through an alias, or while values are set",
        .withoutIssues,
        .asking { scope in
            scope.port = 1
            scope.host = "read by \(scope.port)"
            scope.user = User(name: "Ada")
            scope.token = Token(text: "bound")
            scope.alias(\.limit, to: \.depth)
            scope.limit = 1
        }
    )
    func readSomewhere() async {
        #expect(EnvironmentScope.empty("child").address == "read by 1:1")
        await withTaskGroup { group in group.addTask { #expect(EnvironmentScope.current.user?.name == "Ada") } }
        #expect(await onQueue(EnvironmentScope.current.bind { Injected(\.token.text)() }) == "bound")
        #expect(EnvironmentScope.current.limit == 1)
    }

    @Test(
        "A value that was read only before it was set anew is not",
        .issues { issues in #expect(issues.map(\.text.firstLine) == ["Set for the test, but never read: port."]) },
        .asking {
            $0.port = 1
            $0.port += 1
        }
    )
    func setAnew() {}

    @Test("What the test itself sets need not be read", .withoutIssues, .asking { _ in })
    func setInTest() { EnvironmentScope.current.port = 1 }

    @Test(
        "Of a test that throws nothing is said",
        .issues { issues in #expect(issues.map { $0.error is CancellationError } == [true]) },
        .asking { $0.port = 1 }
    )
    func throwing() throws { throw CancellationError() }

    @Suite(.withoutIssues, .asking { $0.port = 1 })
    struct OfSuite {
        @Test("What a suite sets need not be read by each test", arguments: 0..<2) func unread(_ number: Int) {}

        @Suite struct Nested {
            @Test("What a suite sets need not be read by the tests of a suite in it") func unread() {}
        }
    }

    @Suite(
        .issues { issues in #expect(issues.map(\.text.firstLine) == ["Set for the test, but never read: port."]) },
        .asking {
            $0.port = 1
            $0.host = "suite"
        }
    )
    struct AnewInTest {
        @Test("What a test sets anew is its own", .asking { $0.port += 1 }) func unread() {}
    }
}

extension String { fileprivate var firstLine: String { String(prefix { $0 != "\n" }) } }

extension Trait where Self == ScopeTrait {
    fileprivate static func asking(_ configure: @escaping @Sendable (EnvironmentScope) -> Void) -> ScopeTrait {
        .scope(strictness: .warnings) { configure($0) }
    }
}
