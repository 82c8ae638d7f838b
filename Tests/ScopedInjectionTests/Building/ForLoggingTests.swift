import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var requestID: ScopeValue<String?> { .optional() }
    fileprivate static var logName: ScopeValue<Product> { .lazy { Product("for \(try $0.requestID ?? "nobody")") } }
    fileprivate static var pool: ScopeValue<Product> { .lazy { _ in Product(LogLine.of("opening")) } }
    fileprivate static var store: ScopeValue<Product> { .lazy { Product(LogLine.of("on \(try $0.pool.text)")) } }
    fileprivate static var fresh: ScopeValue<String> { .lazy(.transient) { _ in LogLine.scope } }
    fileprivate static var session: ScopeValue<String> { .lazy(.once(in: .request)) { _ in LogLine.scope } }
    fileprivate static var loop: ScopeValue<Product> { .lazy { _ in Product(LogLine.of("loop")) } }
}

/// A log whose lines have metadata by a provider, which knows nothing of builders.
private enum LogLine {
    static let id = Injected(\.requestID)
    static let upper = Injected { ($0.requestID ?? "nobody").uppercased() }

    static var scope: String { EnvironmentScope.forLogging.name ?? "" }

    static func of(_ text: String, _ id: String = EnvironmentScope.forLogging.requestID ?? "nobody") -> String {
        "[\(id)] \(text)"
    }
}

@Suite("R4: forLogging says for whom a builder works, and makes no input of it", .programRoots)
struct ForLoggingTests {
    private let app = EnvironmentScope("app", parent: nil) { $0.requestID = "start" }
    private let first: EnvironmentScope
    private let second: EnvironmentScope

    init() {
        first = EnvironmentScope("first", role: .request, parent: app) { $0.requestID = "1" }
        second = EnvironmentScope("second", role: .request, parent: app) { $0.requestID = "2" }
    }

    @Test("forLogging is the current scope where one is current, and else the global one") func current() async {
        #expect(EnvironmentScope.forLogging === EnvironmentScope.global)
        let (first, app) = (first, app)
        #expect(first { EnvironmentScope.forLogging } === first)
        #expect(first { app { EnvironmentScope.forLogging } } === app)
        #expect(await first { await Task { EnvironmentScope.forLogging }.value } === first)
    }

    @Test("In the builder of a shared value it is the scope that asked, and the value stays shared") func shared() {
        #expect(first.pool.text == "[1] opening")
        #expect(second.pool === first.pool)
        #expect(app.localValue(for: \.pool) === first.pool)
        app.requestID = "another"
        first.requestID = "changed"
        #expect(first.pool.text == "[1] opening")
    }

    @Test("In a nested build it is the scope that asked for the outermost value") func nested() {
        #expect(second.store.text == "[2] on [2] opening")
        #expect(first.store === second.store)
    }

    @Test("In the builder of a transient value, too; in that of one that stays it is the scope of the role")
    func lifetimes() {
        #expect(first.fresh == "first")
        #expect(app.fresh == "app")
        #expect(EnvironmentScope.empty("part", parent: first).session == "first")
    }

    @Test("A value that is built for a log line is no input of the value that logs") func builtForTheLine() {
        let builds = Box(0)
        app.provide(\.pool) { _ in
            builds.update { $0 += 1 }
            return Product(EnvironmentScope.forLogging.logName.text)
        }
        #expect(first.pool.text == "for 1")
        #expect(first.localValue(for: \.logName)?.text == "for 1")
        #expect(second.pool === first.pool)
        first.requestID = "changed"
        #expect(first.pool.text == "for 1")
        #expect(builds.value == 1)
    }

    @Test("References read in it where it is entered, and are no inputs") func references() {
        app.provide(\.pool) { _ in
            Product(
                EnvironmentScope.forLogging { scope in
                    "\(LogLine.id() ?? "") \(LogLine.upper()) \(EnvironmentScope.current === scope)"
                }
            )
        }
        #expect(first.pool.text == "1 1 true")
        #expect(second.pool === first.pool)
    }

    @Test("A scope that the builder enters is the one for its log lines") func entered() {
        app.provide(\.pool) { [second] _ in Product(second { LogLine.of("in") }) }
        #expect(first.pool.text == "[2] in")
    }

    @Test("A decoration and a builder that throws may log") func otherBuilders() {
        app.decorate(\.pool) { pool, _ in Product(LogLine.of("over \(pool.text)")) }
        #expect(first.pool.text == "[1] over [1] opening")
        app.provide(\.store) { _ in throw Refusal(text: LogLine.of("refused")) }
        let error = #expect(throws: ScopeError.self) { try second.value(for: \.store) }
        #expect((error?.underlyingError as? Refusal)?.text == "[2] refused")
    }

    @Test("A value that logs itself is an error, and no endless build") func cycle() {
        app.provide(\.loop) { _ in try EnvironmentScope.forLogging.value(for: \.loop) }
        let error = #expect(throws: ScopeError.self) { try first.value(for: \.loop) }
        #expect(error?.code == .cycle && error?.path == ["loop", "loop"])
    }

    @Test("Builders of two threads that log what the other one builds end", .timeLimit(.minutes(5)))
    func twoThreads() async {
        let meeting = Meeting()
        app.provide(\.pool) { _ in
            meeting.meet()
            return Product((try? EnvironmentScope.forLogging.value(for: \.store)) == nil ? "no store" : "a store")
        }
        app.provide(\.store) { _ in
            meeting.meet()
            return Product((try? EnvironmentScope.forLogging.value(for: \.pool)) == nil ? "no pool" : "a pool")
        }
        let (first, second) = (first, second)
        await onThreads(2) { index in
            if index == 0 { _ = try? first.value(for: \.pool) } else { _ = try? second.value(for: \.store) }
        }
        // Each needs the other, so whichever is asked for is a cycle.
        #expect(throws: ScopeError.self) { try first.value(for: \.pool) }
    }

    @Test("A task that a builder started waits for nothing: first the scope that asked, then the one that keeps")
    func taskOfABuilder() async {
        let (hasLogged, mayRead) = (Gate(), Barrier())
        let started = Box<Task<[String], Never>?>(nil)
        app.provide(\.pool) { _ in
            started.value = Task {
                let during = LogLine.of("during")
                hasLogged.open()
                await mayRead.pass()
                return [during, LogLine.of("after")]
            }
            // Were it to wait for the value, this would wait for ever.
            hasLogged.wait()
            return Product("pool")
        }
        let first = first
        await onThread { _ = first.pool }.passed()
        mayRead.open()
        #expect(await started.value?.value == ["[1] during", "[start] after"])
    }

    @Test("A task whose builder's scope is gone logs for the global scope") func goneKeeper() async {
        let mayRead = Barrier()
        let started = Box<Task<Bool, Never>?>(nil)
        do {
            let keeper = EnvironmentScope.empty("keeper", parent: nil)
            keeper.provide(\.pool) { _ in
                started.value = Task {
                    await mayRead.pass()
                    return EnvironmentScope.forLogging === EnvironmentScope.global
                }
                return Product("pool")
            }
            _ = keeper.pool
        }
        mayRead.open()
        #expect(await started.value?.value == true)
    }

    private struct Refusal: Error { let text: String }
}
