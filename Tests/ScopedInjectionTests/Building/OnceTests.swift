import Foundation
import ScopedInjection
import Synchronization
import Testing

private enum CountedKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Product {
        let probe = try scope.value(for: ProbeKey.self)
        probe.builds.wrappingAdd(1, ordering: .relaxed)
        return Product("\(scope.port)")
    }
}
private enum SlowKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Product {
        let probe = try scope.value(for: ProbeKey.self)
        probe.builds.wrappingAdd(1, ordering: .relaxed)
        probe.started.open()
        probe.mayEnd.wait()
        return Product("\(scope.port)")
    }
}

@Suite("R5: a value is built once, and a read waits only for a build that it needs")
struct OnceTests {
    private let probe = Probe()
    private let app: EnvironmentScope

    init() { app = probe.makeApp() }

    @Test("A hundred tasks that ask at once get one value", arguments: 0..<20)
    func hundredTasks(round: Int) async {
        let values = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for _ in 0..<100 { group.addTask { [app] in ObjectIdentifier(app[CountedKey.self]) } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(values.count == 1)
        #expect(probe.builds.load(ordering: .relaxed) == 1)
    }

    @Test("A hundred requests that ask at once share one value", arguments: 0..<20)
    func hundredRequests(round: Int) async {
        let values = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for index in 0..<100 {
                group.addTask { [app] in
                    let request = EnvironmentScope("request \(index)", parent: app) { $0.host = "\(index)" }
                    return ObjectIdentifier(request[CountedKey.self])
                }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(values.count == 1)
        #expect(probe.builds.load(ordering: .relaxed) == 1)
    }

    @Test("A read during a build waits for it")
    func overlapping() async {
        let probe = probe
        let meeting = Meeting()
        app.provide(GreetingKey.self) { _ in
            probe.builds.wrappingAdd(1, ordering: .relaxed)
            // Long enough for the others to come, and to build as well if nothing held them back.
            meeting.meet()
            return "hello"
        }
        await onThreads(4) { index in
            if index % 2 == 0 {
                #expect(self.app[GreetingKey.self] == "hello")
            } else {
                #expect(EnvironmentScope.empty("request", parent: self.app)[GreetingKey.self] == "hello")
            }
        }
        #expect(probe.builds.load(ordering: .relaxed) == 1)
    }

    @Test("Requests that override an input build their own, each once")
    func overridingRequests() async {
        let app = app
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    let request = EnvironmentScope("request", parent: app) { $0.port = index }
                    #expect(request[CountedKey.self].text == "\(index)")
                    #expect(request[CountedKey.self] === request.localValue(for: CountedKey.self))
                }
            }
        }
        #expect(probe.builds.load(ordering: .relaxed) == 50)
    }

    @Test("A slow build delays neither other keys nor values that are there")
    func slowBuild() {
        app.host = "there"
        _ = app[CountedKey.self]
        let slow = onThread { [app] in _ = app[SlowKey.self] }
        probe.started.wait()
        #expect(app.host == "there")
        #expect(app[CountedKey.self].text == "8080")
        app.provide(GreetingKey.self) { _ in "built meanwhile" }
        #expect(app[GreetingKey.self] == "built meanwhile")
        let child = EnvironmentScope.empty(parent: app)
        child.port = 1
        #expect(child[CountedKey.self].text == "1")
        probe.mayEnd.open()
        slow.wait()
    }

    @Test("A read that sees another input does not wait for the build")
    func divergingRequest() {
        enum DivergingKey: ScopeKey {
            static func makeValue(in scope: EnvironmentScope) throws -> Product {
                let probe = try scope.value(for: ProbeKey.self)
                let text = "\(scope.port)"
                if text == "8080" {
                    probe.started.open()
                    probe.mayEnd.wait()
                }
                return Product(text)
            }
        }
        let slow = onThread { [app] in _ = app[DivergingKey.self] }
        probe.started.wait()
        let request = EnvironmentScope("request", parent: app) { $0.port = 1 }
        #expect(request[DivergingKey.self].text == "1")
        probe.mayEnd.open()
        slow.wait()
        #expect(app[DivergingKey.self].text == "8080")
    }

    @Test("A read does not wait for a builder that has been replaced")
    func replacedBuilder() {
        let probe = probe
        app.provide(GreetingKey.self) { _ in
            probe.noteBuild()
            return "old"
        }
        let result = Box("")
        let slow = onThread { [app] in result.value = app[GreetingKey.self] }
        probe.started.wait()
        app.provide(GreetingKey.self) { _ in "new" }
        #expect(app[GreetingKey.self] == "new")
        probe.mayEnd.open()
        slow.wait()
        #expect(result.value == "new")
    }

    @Test("A build that throws is not kept; the next read builds again")
    func throwingBuild() throws {
        struct Failure: Error {}
        let attempts = Box(0)
        app.provide(GreetingKey.self) { _ in
            if attempts.update({
                $0 += 1; return $0
            }) == 1 {
                throw Failure()
            }
            return "second"
        }
        let error = #expect(throws: ScopeError.self) { try app.value(for: GreetingKey.self) }
        #expect(error?.code == .makeFailed)
        #expect(error?.underlyingError is Failure)
        #expect(try app.value(for: GreetingKey.self) == "second")
    }

    @Test("Reads that waited for a build that threw get its error")
    func sharedFailure() {
        // A waiting thread cannot be seen from outside, so one of the rounds has to show it.
        let builds = (0..<100).map { _ in Self.buildsWhereTwoAsk() }
        #expect(builds.allSatisfy { $0 <= 2 })
        #expect(builds.contains(1))
    }

    /// How often a value that fails is built, if a second thread asks while the first one builds.
    private static func buildsWhereTwoAsk() -> Int {
        struct Failure: Error {}
        let probe = Probe()
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(GreetingKey.self) { _ in
            probe.noteBuild()
            throw Failure()
        }
        let first = onThread { #expect(throws: ScopeError.self) { try app.value(for: GreetingKey.self) } }
        probe.started.wait()
        let asked = Gate()
        let second = onThread {
            asked.open()
            #expect(throws: ScopeError.self) { try app.value(for: GreetingKey.self) }
        }
        asked.wait()
        for _ in 0..<10 { sched_yield() }
        probe.mayEnd.open()
        first.wait()
        second.wait()
        return probe.builds.load(ordering: .relaxed)
    }

    @Test("A value that was kept after the read had looked for it is not built again", arguments: [true, false])
    func keptAfterLook(isMoved: Bool) {
        let probe = probe
        let whenDropped = Box<(@Sendable () -> Void)?>(nil)
        let value = ScopeValue<Dropped>(name: "value") { scope in
            switch probe.builds.wrappingAdd(1, ordering: .relaxed).newValue {
            case 1: _ = scope.port
            case 2:
                probe.started.open()
                probe.mayEnd.wait()
            default: break
            }
            return Dropped(whenDropped)
        }
        let keeper = EnvironmentScope("keeper", parent: nil) { $0.port = 1 }
        _ = keeper[value]
        // By the last run, the next one depends on the port, so other threads look for it in the request.
        let request = EnvironmentScope("request", parent: isMoved ? app : keeper) { $0.port = 2 }
        let slow = onThread { _ = request[value] }
        probe.started.wait()
        if isMoved { request.parent = keeper }
        keeper.port = 3
        // The read lets go of the old value after it has looked, and before it builds.
        whenDropped.value = {
            whenDropped.value = nil
            probe.mayEnd.open()
            slow.wait()
        }
        let kept = keeper[value]
        #expect(probe.builds.load(ordering: .relaxed) == 2)
        #expect(request[value] === kept)
    }

    @Test("A set during a build wins")
    func setDuringBuild() {
        let result = Box<Product?>(nil)
        let slow = onThread { [app] in result.value = app[SlowKey.self] }
        probe.started.wait()
        let mine = Product("set")
        app[SlowKey.self] = mine
        #expect(app[SlowKey.self] === mine)
        probe.mayEnd.open()
        slow.wait()
        #expect(app[SlowKey.self] === mine)
        #expect(result.value === mine)
    }
}

private enum GreetingKey: ScopeKey { static let defaultValue = "hello" }

/// Calls a closure when it is let go of.
private final class Dropped: Sendable {
    private let whenDropped: Box<(@Sendable () -> Void)?>
    init(_ whenDropped: Box<(@Sendable () -> Void)?>) { self.whenDropped = whenDropped }
    deinit { whenDropped.value?() }
}
