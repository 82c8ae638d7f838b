import Foundation
import ScopedInjection
import Synchronization
import Testing

extension ScopeValues {
    fileprivate static var counted: ScopeValue<Product> {
        .lazy { reader in
            try reader.probe.builds.wrappingAdd(1, ordering: .relaxed)
            return Product("\(try reader.port)")
        }
    }
    fileprivate static var slow: ScopeValue<Product> {
        .lazy { reader in
            let probe = try reader.probe
            probe.noteBuild()
            return Product("\(try reader.port)")
        }
    }
    fileprivate static var greeting: ScopeValue<String> { .value("hello") }
    fileprivate static var left: ScopeValue<Int> { .lazy { try $0.firstBase + $0.secondBase } }
    fileprivate static var right: ScopeValue<Int> { .lazy { try $0.secondBase + $0.firstBase } }
    fileprivate static var firstBase: ScopeValue<Int> { .lazy { try $0.port } }
    fileprivate static var secondBase: ScopeValue<Int> { .lazy { try $0.port } }
}

@Suite("R5: a value is built once for the scope that keeps it, however many ask at once", .programRoots)
struct OnceTests {
    private let probe = Probe()
    private let app: EnvironmentScope

    init() { app = probe.makeApp() }

    private var builds: Int { probe.builds.load(ordering: .relaxed) }

    @Test("A hundred requests that ask at once share one value", arguments: 0..<20)
    func hundredRequests(round: Int) async {
        let values = await withTaskGroup(of: ObjectIdentifier.self) { group in
            for index in 0..<100 {
                group.addTask { [app] in
                    let request = EnvironmentScope("request \(index)", parent: app) { $0.host = "\(index)" }
                    return ObjectIdentifier(request.counted)
                }
            }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(values.count == 1)
        #expect(builds == 1)
    }

    @Test("The threads of two requests, and of their children, build one value for each, also the first time")
    func threadsOfRequests() async {
        for round in 0..<100 {
            let builds = Atomic(0)
            let app = probe.makeApp()
            app.provide(\.counted) { reader in
                builds.wrappingAdd(1, ordering: .relaxed)
                // Until the port is read, it may be the application's value. Others look in all these moments.
                for _ in 0..<(round % 3) { sched_yield() }
                let port = try reader.port
                for _ in 0..<(round % 5) { sched_yield() }
                return Product("\(port)")
            }
            let requests = (0..<2).map { index in EnvironmentScope("request", parent: app) { $0.port = index } }
            await onThreads(6) { index in
                let request = requests[index % 2]
                let scope = index < 4 ? request : EnvironmentScope.empty("child", parent: request)
                if scope.counted.text != "\(index % 2)" { Issue.record("another value") }
            }
            #expect(builds.load(ordering: .relaxed) == 2)
        }
    }

    @Test("A read during a build waits for it") func overlapping() async {
        let (probe, meeting) = (probe, Meeting())
        app.provide(\.greeting) { _ in
            probe.builds.wrappingAdd(1, ordering: .relaxed)
            // Long enough for the others to come, and to build as well if nothing held them back.
            meeting.meet()
            return "hello"
        }
        await onThreads(4) { [app] index in
            let scope = index % 2 == 0 ? app : EnvironmentScope.empty("request", parent: app)
            if scope.greeting != "hello" { Issue.record("another value") }
        }
        #expect(builds == 1)
    }

    @Test("A slow build delays neither other values nor those that are there") func slowBuild() {
        let probe = Probe()
        app.provide(\.slow) { _ in
            probe.noteBuild()
            return Product("slow")
        }
        app.host = "there"
        _ = app.counted
        let slow = onThread { [app] in _ = app.slow }
        probe.started.wait()
        #expect(app.host == "there" && app.counted.text == "8080")
        app.provide(\.greeting) { _ in "built meanwhile" }
        #expect(app.greeting == "built meanwhile")
        let child = EnvironmentScope("child", parent: app) { $0.port = 1 }
        #expect(child.counted.text == "1")
        probe.mayEnd.open()
        slow.wait()
    }

    @Test("A read does not wait for a builder that has been replaced") func replacedBuilder() {
        let probe = probe
        app.provide(\.greeting) { _ in
            probe.noteBuild()
            return "old"
        }
        let result = Box("")
        let slow = onThread { [app] in result.value = app.greeting }
        probe.started.wait()
        app.provide(\.greeting) { _ in "new" }
        #expect(app.greeting == "new")
        probe.mayEnd.open()
        slow.wait()
        #expect(result.value == "new")
    }

    @Test("Builders that read other values in opposite orders never block each other", arguments: 0..<30)
    func oppositeOrders(round: Int) async {
        let scope = EnvironmentScope.empty(parent: nil)
        await onThreads(4) { index in
            let sum = index % 2 == 0 ? scope.left : scope.right
            if sum != 16160 { Issue.record("\(sum)") }
        }
    }

    @Test("While a builder runs, any scope may be read, changed and closed on other threads")
    func noLockWhileBuilding() async {
        let request = EnvironmentScope.empty("request", parent: app)
        let slow = onThread { _ = request.slow }
        await probe.started.passed()
        await onThreads(4) { [app] index in
            let own = EnvironmentScope("own", parent: request) { $0.user = User(name: "\(index)") }
            app.greeting = "\(index)"
            request.token = Token(text: "\(index)")
            if own.user?.name != "\(index)" || own.port != 8080 { Issue.record("another value") }
        }
        await request.close()
        probe.mayEnd.open()
        await slow.passed()
    }

    @Test("While a value is let go of, any scope may be read and changed on other threads")
    func noLockWhileLettingGo() {
        let farewells = Box(0)
        let app = app
        for act in ["set", "remove", "provide"] {
            app.anything = Farewell { [unowned app] in
                elsewhere {
                    app.port += 1
                    app.host = "\(app.port)"
                    app.removeValue(for: \.greeting)
                    farewells.update { $0 += 1 }
                }
            }
            switch act {
            case "set": app.anything = nil
            case "remove": app.removeValue(for: \.anything)
            default: app.provide(\.anything) { _ in nil }
            }
        }
        #expect(farewells.value == 3)
        #expect(app.host == "8083")
    }
}
