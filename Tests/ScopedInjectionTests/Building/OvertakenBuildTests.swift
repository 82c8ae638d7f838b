import ScopedInjection
import Testing

@Suite("R2: changes that overtake a build")
struct OvertakenBuildTests {
    private let probe = Probe()
    private let app: EnvironmentScope

    init() { app = probe.makeApp() }

    @Test("If an input is replaced during a build, the value is built from the new one")
    func inputReplacedDuringBuild() {
        enum TwiceKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) throws -> Product {
                let probe = try scope.value(for: ProbeKey.self)
                let port = scope.port
                probe.noteBuild()
                return Product("\(port)")
            }
        }
        let result = Box<Product?>(nil)
        let slow = onThread { [app] in result.value = app[TwiceKey.self] }
        probe.started.wait()
        app.port = 2
        probe.mayEnd.open()
        slow.wait()
        #expect(result.value?.text == "2")
        #expect(app[TwiceKey.self] === result.value)
    }

    @Test("An error caused by an input that was replaced during the build is not reported")
    func inputReplacedDuringFailingBuild() {
        struct Failure: Error {}
        let probe = probe
        app.provide(GreetingKey.self) { scope in
            let port = scope.port
            probe.noteBuild()
            guard port == 2 else { throw Failure() }
            return "hello"
        }
        let result = Box<Result<String, ScopeError>?>(nil)
        let slow = onThread { [app] in
            result.value = Result { () throws(ScopeError) in try app.value(for: GreetingKey.self) }
        }
        probe.started.wait()
        app.port = 2
        probe.mayEnd.open()
        slow.wait()
        #expect(throws: Never.self) { try result.value?.get() }
        #expect(app[GreetingKey.self] == "hello")
    }

    @Test("If an alias comes to lead elsewhere during a build, the read gives what it leads to now")
    func aliasChangedDuringBuild() {
        let probe = probe
        app.alias(MainNumberKey.self, to: ReplicaNumberKey.self)
        app.provide(ReplicaNumberKey.self) { _ in
            probe.noteBuild()
            return 2
        }
        let result = Box(0)
        let slow = onThread { [app] in result.value = app.main }
        probe.started.wait()
        app.alias(MainNumberKey.self, to: BackupNumberKey.self)
        probe.mayEnd.open()
        slow.wait()
        #expect(result.value == 300)
        #expect(app.replica == 2)
    }

    @Test("A value that is built while its scope is moved is kept in the new chain", arguments: [true, false])
    func movedDuringBuild(isClosed: Bool) async {
        let probe = probe
        let other = EnvironmentScope.empty("other", parent: nil)
        let request = EnvironmentScope.empty("request", parent: app)
        let result = Box<Result<Product, ScopeError>?>(nil)
        let slow = onThread {
            MovingProbe.$current.withValue(probe) {
                result.value = Result { () throws(ScopeError) in try request.value(for: MovingKey.self) }
            }
        }
        await Task.detached { [probe] in probe.started.wait() }.value
        request.parent = other
        if isClosed { await app.close() }
        probe.mayEnd.open()
        await Task.detached { slow.wait() }.value
        #expect(throws: Never.self) { try result.value?.get() }
        #expect(app.localValue(for: MovingKey.self) == nil)
        #expect(other[MovingKey.self] === request[MovingKey.self])
    }

    @Test("A read from a parent that was given during the build is an input like any other")
    func inputOfNewParent() async {
        let probe = probe
        let other = EnvironmentScope("other", parent: nil) { $0.port = 2 }
        let request = EnvironmentScope.empty("request", parent: app)
        request.provide(GreetingKey.self) { scope in
            probe.noteBuild()
            return "\(scope.port)"
        }
        let slow = onThread { _ = request[GreetingKey.self] }
        await Task.detached { probe.started.wait() }.value
        request.parent = other
        probe.mayEnd.open()
        await Task.detached { slow.wait() }.value
        #expect(request[GreetingKey.self] == "2")
        other.port = 3
        #expect(request[GreetingKey.self] == "3")
    }

    @Test("A value built without one that a closed scope refused is not shared with open scopes")
    func refusedByClosedScope() async {
        let probe = probe
        app.provide(GreetingKey.self) { scope in
            probe.noteBuild()
            return (try? scope.value(for: TextKey.self)) ?? "refused"
        }
        let request = EnvironmentScope.empty("request", parent: app)
        let slow = onThread { _ = try? request.value(for: GreetingKey.self) }
        await Task.detached { probe.started.wait() }.value
        await request.close()
        probe.mayEnd.open()
        await Task.detached { slow.wait() }.value
        #expect(app[GreetingKey.self] == "text")
    }

    // MARK: Builds that need others

    @Test("A value built from one that is out of date is not kept")
    func takenFromOutdatedBuild() {
        struct Failure: Error {}
        let here = EnvironmentScope.empty("here", parent: nil)
        let there = EnvironmentScope("there", parent: nil) { $0.port = 2 }
        let request = EnvironmentScope.empty("request", parent: here)
        let moves = Box(0)
        // On another thread, because a builder's own changes are a different case.
        @Sendable func move(to parent: EnvironmentScope, ifFirst step: Int) {
            guard moves.value == step else { return }
            moves.value += 1
            onThread { request.parent = parent }.wait()
        }
        here.provide(HostKey.self) { _ in throw Failure() }
        request.provide(InnerKey.self) { scope in
            move(to: here, ifFirst: 1)
            return try scope.value(for: HostKey.self)
        }
        request.provide(MiddleKey.self) { scope in
            let inner = (try? scope.value(for: InnerKey.self)) ?? "none"
            move(to: there, ifFirst: 2)
            return inner
        }
        request.provide(OuterKey.self) { scope in
            move(to: there, ifFirst: 0)
            return try "\(scope.port), \(scope.value(for: MiddleKey.self))"
        }
        #expect(request[OuterKey.self] == "2, localhost")
        #expect(moves.value == 3)
        // The builders capture it.
        request.removeAll()
    }

    @Test("A cycle that a set breaks before it is reported is no cycle")
    func brokenCycle() throws {
        app.provide(InnerKey.self) { [weak app] scope in
            do {
                return try scope.value(for: OuterKey.self)
            } catch {
                onThread { [weak app] in app?[InnerKey.self] = "set" }.wait()
                throw error
            }
        }
        app.provide(OuterKey.self) { scope in try "outer \(scope.value(for: InnerKey.self))" }
        #expect(try app.value(for: OuterKey.self) == "outer set")
    }

    @Test("A build that needs a build which changes its own input ends with that")
    func changedByInnerBuild() {
        let builds = Box(0)
        app.provide(InnerKey.self) { [weak app] scope in
            builds.value += 1
            let port = scope.port
            app?.port = port + 1
            return "\(port)"
        }
        app.provide(OuterKey.self) { scope in "outer \(scope[InnerKey.self])" }
        #expect(app[OuterKey.self] == "outer 8080")
        #expect(builds.value == 1)
    }

    // MARK: Again and again

    @Test("A builder that changes its own input still ends")
    func selfChange() {
        app.provide(GreetingKey.self) { [weak app] scope in
            guard let app else { return "gone" }
            app.port = scope.port + 1
            return "\(app.port)"
        }
        #expect(app[GreetingKey.self] == "8081")
    }

    @Test("What is built from two inputs never mixes an old one with a new one")
    func consistentInputs() async {
        enum PairKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) -> [Int] { [scope.port, scope[SecondKey.self]] }
        }
        enum SecondKey: ScopeKey { static let defaultValue = 0 }
        // The writer sets the second first, so the first is never ahead.
        app.port = 0
        await onThreads(3) { index in
            for round in 1...1000 {
                if index == 0 {
                    self.app[SecondKey.self] = round
                    self.app.port = round
                } else {
                    let pair = self.app[PairKey.self]
                    if !(pair[0] <= pair[1] && pair[1] <= pair[0] + 1) { Issue.record("mixed: \(pair)") }
                }
            }
        }
    }
}

private enum OuterKey: ScopeKey { static let defaultValue = "" }
private enum MiddleKey: ScopeKey { static let defaultValue = "" }
private enum InnerKey: ScopeKey { static let defaultValue = "" }
private enum GreetingKey: ScopeKey { static let defaultValue = "hello" }
private enum TextKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> String { "text" }
}

/// Waits for the test's probe, which is no input.
private enum MovingKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Product {
        MovingProbe.current?.noteBuild()
        return Product("built")
    }
}

private enum MovingProbe {
    @TaskLocal static var current: Probe?
}
