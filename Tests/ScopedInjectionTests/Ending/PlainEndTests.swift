import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var config: ScopeValue<Int> { .value(0) }
    /// What the cleanup of a plain value does besides.
    fileprivate static var whenEnded: ScopeValue<@Sendable (String) -> Void> { .value({ _ in }) }
    fileprivate static func plain(_ name: String) -> ScopeValue<Product> {
        .lazy(id: name) { reader in
            let (log, whenEnded, config) = (try reader.log, try reader.whenEnded, try reader.config)
            reader.onClose {
                whenEnded(name)
                log.add("\(name) \(config)")
            }
            return Product(name)
        }
    }
    fileprivate static var awaited: ScopeValue<Product> {
        .lazy { reader in
            let (log, config) = (try reader.log, try reader.config)
            reader.onClose { () async in log.add("awaited \(config)") }
            return Product("awaited")
        }
    }
    fileprivate static var whenLinkEnds: ScopeValue<@Sendable () -> Void> { .value({}) }
    /// Each was built from the one before.
    fileprivate static func link(_ number: Int) -> ScopeValue<Product> {
        .lazy(id: number) { reader in
            let log = try reader.log
            let former = number > 0 ? try reader[ScopeValues.link(number - 1)].text : "\(try reader.config)"
            let whenLinkEnds = try reader.whenLinkEnds
            reader.onClose {
                whenLinkEnds()
                log.add("link \(number)")
            }
            return Product(former)
        }
    }
    fileprivate static var onPlain: ScopeValue<String> { .lazy { "on \(try $0[ScopeValues.plain("a")].text)" } }
}

private enum Change: CaseIterable, Sendable {
    case set, provide, decorate, removal, input, update

    func make(_ app: EnvironmentScope) throws {
        let value = ScopeValues.plain("a")
        switch self {
        case .set: app[value] = Product("set")
        case .provide: app.provide({ _ in value }) { _ in Product("provided") }
        case .decorate: app.decorate({ _ in value }) { product, _ in product }
        case .removal: app.removeValue { _ in value }
        case .input: app.config = 1
        case .update: try app.update { $0.config = 1 }
        }
    }
}

@Suite("R11: a cleanup that awaits nothing, and nobody holds up, runs at once", .programRoots, .timeLimit(.minutes(10)))
struct PlainEndTests {
    private let (app, log): (EnvironmentScope, Log)

    init() { (app, log) = makeLoggedApp() }

    @Test("Before the change returns that has let go of its value", arguments: Change.allCases)
    private func change(change: Change) throws {
        app.whenEnded = { [log] _ in log.add("in \(EnvironmentScope.current.name ?? "")") }
        _ = app[ScopeValues.plain("a")]
        try change.make(app)
        #expect(log.lines == ["in app", "a 0"])
    }

    @Test("Of several, one after the other, the last one first") func order() {
        for name in ["a", "b", "c"] { _ = app[ScopeValues.plain(name)] }
        app.config = 1
        #expect(log.lines == ["c 0", "b 0", "a 0"])
    }

    @Test("One that blocks its thread holds up its own change, and no cleanup that is awaited, nor other changes")
    func blocking() async {
        let (begun, mayEnd) = (Barrier(), Gate())
        app.whenEnded = { name in
            if name != "a" { return }
            begun.open()
            mayEnd.wait()
        }
        _ = (app[ScopeValues.plain("a")], app.awaited)
        let app = app
        let changing = onThread { app.config = 1 }
        await begun.pass()
        while !log.lines.contains("awaited 0") { await Task.yield() }
        _ = app[ScopeValues.plain("b")]
        app.config = 2
        #expect(log.lines == ["awaited 0", "b 1"])
        mayEnd.open()
        await changing.passed()
        #expect(log.lines.last == "a 0")
    }

    @Test("What was built from what a change lets go of ends first, and then that: in a long chain on no deeper stack")
    func chain() {
        let length = 100
        let request = EnvironmentScope.empty("request", parent: app)
        let stack = Box<[Int]>([])
        app.whenLinkEnds = {
            withUnsafePointer(to: 0) { here in
                let depth = Int(bitPattern: here)
                stack.update { $0.append(depth) }
            }
        }
        for number in 0..<length { _ = request[ScopeValues.link(number)] }
        app.config = 1
        #expect(log.lines == (0..<length).reversed().map { "link \($0)" })
        #expect(Set(stack.value).count < 3)
    }

    @Test("It may set, read and build what it was built from, and register one: what that lets go of ends meanwhile")
    func reentrant() {
        let app = app
        let first = once { [unowned app] in
            #expect(app[ScopeValues.plain("a")].text == "a")
            _ = app[ScopeValues.plain("b")]
            app.config = 2
            app.onClose {}
        }
        app.whenEnded = { name in if name == "a" { first() } }
        _ = app[ScopeValues.plain("a")]
        app.config = 1
        #expect(log.lines == ["b 1", "a 1", "a 0"])
    }

    @Test("It is no part of a builder in whose read it runs") func inABuilder() throws {
        let (app, log) = (app, log)
        let change = once { [unowned app] in app.config = 1 }
        app.provide(\.anything) { reader in
            change()
            return try reader.onPlain
        }
        let read = once { [unowned app] in log.add("\((try? app.value(for: \.anything)) ?? "failed")") }
        app.whenEnded = { name in if name == "a" { read() } }
        _ = app[ScopeValues.plain("a")]
        #expect(try app.value(for: \.anything) as? String == "on a")
        #expect(log.lines == ["on a", "a 0"])
    }

    @Test("Who waits for a build does not wait for what that has let go of") func waiting() async {
        let (app, probe, mayEnd) = (app, Probe(), Gate())
        let team = EnvironmentScope("team", parent: app) { $0.config = 1 }
        let request = EnvironmentScope.empty("request", parent: team)
        app.whenEnded = { _ in mayEnd.wait() }
        _ = request[ScopeValues.plain("a")]
        // What the team keeps is found to be out of date by the next read of a request.
        app.whenEnded = { _ in }
        app.provide({ _ in ScopeValues.plain("a") }) { reader in
            _ = try reader.config
            probe.noteBuild()
            return Product("anew")
        }
        #expect(log.lines.isEmpty)
        let first = onThread { _ = request[ScopeValues.plain("a")] }
        probe.started.wait()
        let second = onThread { #expect(request[ScopeValues.plain("a")].text == "anew") }
        // A waiting thread cannot be seen from outside.
        for _ in 0..<10 { await Task.yield() }
        probe.mayEnd.open()
        await second.passed()
        mayEnd.open()
        await first.passed()
        #expect(log.lines == ["a 1"])
    }

    @Test("Of a builder that fails it has run before the error is thrown") func failed() {
        app.provide({ _ in ScopeValues.plain("a") }) { reader in
            _ = try reader.product("closed")
            throw CancellationError()
        }
        #expect(throws: ScopeError.self) { try app.value { _ in ScopeValues.plain("a") } }
        #expect(log.lines == ["closed"])
    }

    @Test("One that is registered too late runs before the call returns") func late() async {
        await app.close()
        let log = log
        app.onClose { log.add("late") }
        #expect(log.lines == ["late"])
    }

    /// Which task runs now.
    private static var task: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    @Test("A reload with a limit leaves them to tasks, because one may hang", arguments: [nil, Duration.seconds(60)])
    func limited(limit: Duration?) async throws {
        let log = log
        app.whenEnded = { [caller = Self.task] name in log.add("\(name) by the caller: \(Self.task == caller)") }
        _ = app[ScopeValues.plain("b")]
        try await app.reload(closingWithin: limit) { $0.config = 2 }
        #expect(log.lines == ["b by the caller: \(limit == nil)", "b 0"])
    }
}
