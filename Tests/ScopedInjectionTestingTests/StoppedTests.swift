import ScopedInjection
import ScopedInjectionTesting
import Testing

/// Tests whose reads have nothing to return.
///
/// `MissingValueTests` runs them in a process of their own.
@Suite(.inProcessOfItsOwn, .scope("stopped", defaults: .forbidden))
struct StoppedTests {
    private let session = Injected(\.session, fileID: "Server/Client.swift", line: 42)
    private let page = Injected(\.page, fileID: "Server/Client.swift", line: 43)

    @Test func inTest() {
        Issue.record("went on with \(session())")
    }

    @Test func inBuilder() {
        Issue.record("went on with \(page())")
    }

    @Test(.scope { setPageThatStopsOnce(in: $0) })
    func inBuilderOfCleanup() {
        Issue.record("went on with \(page())")
    }

    @Test(
        .scope { scope in
            scope.provide(\.page) { scope in
                let made = EnvironmentScope.empty("made", parent: scope)
                made.provide(PortKey.self) { $0.session.text.count }
                return "\(made.port)"
            }
        }
    )
    func inBuilderOfMadeScope() {
        Issue.record("went on with \(page())")
    }

    private static func setPageThatStopsOnce(in scope: EnvironmentScope) {
        let isFirst = Box(true)
        scope.provide(\.page) { scope in
            let isFirst = isFirst.update { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            return isFirst ? scope.session.text : "page"
        }
        scope.onClose { [unowned scope] in #expect(scope.page == "page") }
    }

    @Test(
        .scope { scope in
            scope.provide(\.page) { "\(try $0.value(for: PortKey.self)) \(try $0.value(for: \.session))" }
        }
    )
    func afterForbiddenDefault() {
        Issue.record("went on with \(page())")
    }

    @Test func afterAWait() async {
        await Task.yield()
        Issue.record("went on with \(session())")
    }

    @Test func keyType() {
        Issue.record("went on with \(Injected(\.token, fileID: "Server/Client.swift", line: 44)())")
    }

    // More than there are threads on most machines.
    @Test(arguments: 0..<40) func again(_ number: Int) {
        Issue.record("went on with \(session())")
    }

    @Test(arguments: 0..<20) func goesOn(_ number: Int) async throws {
        await Task.yield()
        #expect(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.session) }
        #expect(try EnvironmentScope.current.valueIfAny(\.session) == nil)
    }
}
