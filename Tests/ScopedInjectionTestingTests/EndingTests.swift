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

    @Test @WorkActor func onGlobalActor() {
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

@globalActor actor WorkActor { static let shared = WorkActor() }

/// Cases that read through the scope of one before, also where their tasks look like that one's.
@Suite(.inProcessOfItsOwn, .scope(strictness: .off), .serialized)
struct EndedScopeTests {
    private static let scope = Box<EnvironmentScope?>(nil)
    private static let tasks = Box<Set<Int>>([])

    @Test(arguments: 0..<200) func reads(_ number: Int) async {
        let task = withUnsafeCurrentTask { $0.hashValue }
        let isNew = Self.tasks.update { $0.insert(task).inserted }
        let scope = EnvironmentScope.current
        let other = Self.scope.update { other in
            defer { other = scope }
            return other
        }
        if !isNew || number == 199 { Issue.record("went on with \(String(describing: other?.session))") }
    }
}
