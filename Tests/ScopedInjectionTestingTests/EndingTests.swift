import ScopedInjection
import ScopedInjectionTesting
import Testing

/// Tests that nothing can stop.
///
/// `MissingValueTests` runs each in a process of its own.
@Suite(.inProcessOfItsOwn, .scope("unstoppable", defaults: .forbidden))
struct EndingTests {
    private let session = Injected(\.session, fileID: "Server/Client.swift", line: 42)

    @Test @MainActor func onMainActor() {
        Issue.record("went on with \(session())")
    }

    @Test func inTaskOfItsOwn() async {
        let session = session
        Issue.record("went on with \(await Task { session() }.value)")
    }

    @Test(.scope(parent: EnvironmentScope.empty("app", parent: nil)))
    func inBuilderOfParent() {
        EnvironmentScope.current.parent?.provide(PortKey.self) { [session] _ in session().text.count }
        Issue.record("went on with \(EnvironmentScope.current.port)")
    }

    @Test(arguments: 0..<140) func afterManyOthers(_ number: Int) {
        Issue.record("went on with \(session())")
    }
}
