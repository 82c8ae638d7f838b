import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("A cleanup that throws fails the test")
struct CleanupFailureTests {
    private struct Refused: Error {}

    @Test(
        "The issue of a cleanup that throws names the scope and the error, and the other cleanups run",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [true])
            let text = """
                A cleanup of "closing" failed: Refused()
                  To fix it: find out why it fails, or handle the error in the cleanup.
                """
            #expect(issues.first?.text == text)
            // Where the cleanup was registered.
            #expect(issues.first?.line != issues.first?.test?.sourceLocation.line)
            #expect(others.value == 1)
        },
        .scope("closing") { scope in
            scope.onClose { others.update { $0 += 1 } }
            scope.onClose { throw Refused() }
        }
    )
    func ofTheTest() {}

    private static let others = Box(0)

    @Test(
        "A failed cleanup of a scope below, or of a value, fails the test, too",
        .issues { issues in #expect(issues.map(\.isFailure) == [true, true]) },
        .scope {
            $0.provide(\.host) { reader in
                reader.onClose { throw Refused() }
                return "host"
            }
        }
    )
    func below() async {
        await EnvironmentScope.current.withChild("request") {
            EnvironmentScope.current.onClose { throw Refused() }
            #expect(EnvironmentScope.current.host == "host")
        }
    }

    @Test(
        "What a closed scope builds is a warning, once, and one that is left unclosed with a cleanup a failure",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [false, true])
            #expect(
                issues.map(\.text) == [
                    """
                    address (String) was built in "request" after that was closed.
                      To fix it: let the scope's operation await all that it starts, or give that a scope of its own.
                    """,
                    """
                    "left" went away without having been closed, and nothing waits for its cleanups.
                      The last of them: ScopedInjectionTestingTests/CleanupFailureTests.swift:\(lineOfLeft)
                      To fix it: close it (await scope.close()), or make it with withChild.
                    """,
                ]
            )
        },
        .scope { $0.host = "host" }
    )
    func lateAndLeft() async {
        let request = EnvironmentScope("request") { $0.port = 1 }
        await request.close()
        #expect(request.address == "host:1")
        request.port = 2
        #expect(request.address == "host:2")
        EnvironmentScope.empty("left").onClose {}
    }

    private static let lineOfLeft = #line - 3

    @Test("What a cleanup reads is in time, and still has the parent", .withoutIssues, .scope(parent: freshParent()))
    func reading() {
        let port = Injected(\.port)
        EnvironmentScope.current.onClose { #expect(port() == 1) }
    }

    private static let closed = Box<[String]>([])

    @Test(
        "A parent that only the trait holds is closed after the test's scope, and another one is not",
        .withoutIssues,
        .afterwards { #expect(closed.value == ["test", "parent"]) },
        .scope(parent: closingParent(kept: false))
    )
    func parent() { EnvironmentScope.current.onClose { Self.closed.update { $0.append("test") } } }

    @Test(
        .withoutIssues,
        .afterwards {
            #expect(kept.value?.isClosed == false); await kept.value?.close()
        },
        .scope(parent: closingParent(kept: true))
    )
    func keptParent() {}

    private static let kept = Box<EnvironmentScope?>(nil)

    private static func closingParent(kept isKept: Bool) -> EnvironmentScope {
        let parent = EnvironmentScope("app", parent: nil) {
            $0.onClose { closed.update { if !isKept { $0.append("parent") } } }
        }
        if isKept { kept.update { $0 = parent } }
        return parent
    }

    private static func freshParent() -> EnvironmentScope { EnvironmentScope("fresh", parent: nil) { $0.port = 1 } }
}
