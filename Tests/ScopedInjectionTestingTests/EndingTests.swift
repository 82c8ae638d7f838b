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

    @Test @EnumActor func onWrappedGlobalActor() {
        Issue.record("went on with \(session())")
    }

    @Test func inActor() async {
        Issue.record("went on with \(await EnumActor.shared.read(session))")
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

    @Test func inSharedBuilder() {
        // Another test may wait for a value of that scope, which this test only builds.
        let shared = EnvironmentScope.empty("shared", parent: nil)
        let read = EnvironmentScope.current.bind { [session] in session().text.count }
        shared.provide(PortKey.self) { _ in read() }
        Issue.record("went on with \(shared.port)")
    }

    @Test(arguments: 0..<140) func afterManyOthers(_ number: Int) {
        Issue.record("went on with \(session())")
    }
}

@globalActor actor WorkActor { static let shared = WorkActor() }

/// A global actor whose instance does not show that it is one.
@globalActor enum EnumActor {
    actor Instance {
        func read(_ session: Injected<Token>) -> Token { session() }
    }
    static let shared = Instance()
}

/// A case that calls a closure of another one, while both run.
@Suite(.inProcessOfItsOwn)
struct ForeignCaseTests {
    private static let closure = Box<(@Sendable () -> Int)?>(nil)
    private static let isBound = Gate()
    private static let isCalled = Gate()

    @Test(.scope(defaults: .forbidden), arguments: 1...2) func calls(_ number: Int) async {
        if number == 1 {
            let port = Injected(\.port, fileID: "Server/Client.swift", line: 7)
            let read = EnvironmentScope.current.bind { port() }
            Self.closure.update { $0 = read }
            Self.isBound.open()
            await Self.isCalled.wait()
            Self.closure.update { $0 = nil }
        } else {
            await Self.isBound.wait()
            #expect(Self.closure.value?() == 8080)
            Self.isCalled.open()
        }
    }
}

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
