import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var address: ScopeValue<String> { .lazy { "\(try $0.host):\(try $0.port)" } }
    fileprivate static var database: ScopeValue<Product> { .lazy { Product(try $0.address) } }
    fileprivate static var failing: ScopeValue<Int> { .lazy { try $0.token.text.count } }
    fileprivate static var clock: ScopeValue<Int> { .lazy(.transient) { _ in 1 } }
}

/// More events than there are, and fewer than the stack has room for.
private let endless = 20

@Suite("Observers of a scope are told what it, and those below it, build, wait for and clean up", .programRoots)
struct ScopeObserverTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let events = Box<[ScopeEvent]>([])

    init() {
        let events = events
        app.observe { event in events.update { $0.append(event) } }
    }

    private var texts: [String] {
        events.value.map { event in
            "\(event.kind) \(event.name ?? "-") for \(event.scope ?? "-"), kept in \(event.keptIn ?? "-")"
        }
    }

    // MARK: What they are told

    @Test("Of a build: who asked, where it is kept, and how long it took; inner builds first")
    func builds() {
        let request = EnvironmentScope("request", parent: app) { $0.user = nil }
        _ = request.database
        #expect(texts == ["built address for request, kept in app", "built database for request, kept in app"])
        #expect(events.value[1].valueType == "Product")
        #expect(events.value[1].duration >= events.value[0].duration)
        #expect(events.value[0].duration > .zero)
    }

    @Test("Of a value that is let go of, with the input that has changed, or another reason")
    func departures() async {
        let causes = { [events] () -> [String] in
            let told = events.value.filter { $0.kind == .discarded }
            events.value = []
            return told.map { "\($0.name ?? "-") in \($0.scope ?? "-"): \($0.cause.map { "\($0)" } ?? "-")" }
        }
        let request = EnvironmentScope("request", parent: app) { $0.host = "own" }
        _ = (app.database, request.database)
        #expect(causes() == [])

        app.port = 2
        #expect(Set(causes()) == ["address in app: port (Int) has changed", "database in app: port (Int) has changed"])
        _ = request.database
        #expect(
            Set(causes()) == [
                "address in request: port (Int) has changed", "database in request: port (Int) has changed",
            ]
        )
        _ = app.database
        await app.discardBuiltValues(\.address)
        #expect(
            Set(causes()) == ["address in app: it was discarded", "database in app: address (String) has changed"]
        )
        _ = app.database
        app.removeValue(for: \.database)
        #expect(causes() == ["database in app: it was set, provided or removed"])
        _ = app.database
        await app.discardBuiltValues()
        #expect(Set(causes()) == ["address in app: it was discarded", "database in app: it was discarded"])
        app.provide(\.database) { reader in
            reader.onClose {}
            return Product(try reader.address)
        }
        _ = app.database
        await app.close()
        #expect(causes() == ["database in app: its scope was closed"])
    }

    @Test("Of a run that was thrown away because an input has changed meanwhile")
    func thrownAway() {
        let isFirst = Box(true)
        app.provide(\.address) { [unowned app, isFirst] reader in
            let port = try reader.port
            if isFirst.update({
                let was = $0; $0 = false; return was
            }) {
                elsewhere { app.port = 2 }
            }
            return "\(port)"
        }
        #expect(app.address == "2")
        #expect(events.value.map(\.kind) == [.thrownAway, .built])
        #expect(events.value.first?.cause == .input(name: "port", valueType: "Int"))
        #expect(events.value.first?.description.hasSuffix("because port (Int) has changed") == true)
    }

    @Test("Not of a read of what is there, of a constant, or of another tree")
    func reads() {
        _ = app.database
        events.value = []
        _ = app.database
        _ = EnvironmentScope.empty("request", parent: app).database
        _ = app.port
        _ = EnvironmentScope.empty("other", parent: nil).database
        #expect(events.value.isEmpty)
    }

    @Test("Of a builder that throws, with the error of the read")
    func failures() {
        #expect(throws: ScopeError.self) { try app.value(for: \.failing) }
        #expect(texts.last == "failed failing for app, kept in -")
        #expect((events.value.last?.error as? ScopeError)?.code == .missingValue)
    }

    @Test("Of a transient value at each read")
    func transient() {
        for _ in 0..<2 { _ = app.clock }
        #expect(texts == Array(repeating: "built clock for app, kept in -", count: 2))
    }

    @Test("Of a read that has waited for another thread's build")
    func waits() {
        // A waiting thread cannot be seen from outside, so one of the rounds has to show it.
        for _ in 0..<100 {
            let (started, asked, mayEnd) = (Gate(), Gate(), Gate())
            app.provide(\.host) { _ in
                started.open()
                mayEnd.wait()
                return "slow"
            }
            let app = app
            let first = onThread { _ = app.host }
            started.wait()
            let second = onThread {
                asked.open()
                _ = app.host
            }
            asked.wait()
            for _ in 0..<10 { _ = app.clock }
            mayEnd.open()
            first.wait()
            second.wait()
            let waits = events.value.filter { $0.kind == .waited }
            guard waits.isEmpty else {
                #expect(waits.allSatisfy { $0.name == "host" && $0.scope == "app" && !$0.isKept })
                return
            }
        }
        Issue.record("No read has waited.")
    }

    @Test("Of each cleanup of a scope, when it is over")
    func cleanups() async {
        let request = EnvironmentScope.empty("request", parent: app)
        let done = Box(0)
        for _ in 0..<2 { request.onClose { done.update { $0 += 1 } } }
        await request.close()
        #expect(done.value == 2)
        #expect(texts == Array(repeating: "cleanedUp - for request, kept in -", count: 2))
    }

    @Test("Of a default that a policy wants to be reported, with the place of the reference")
    func defaults() {
        let test = EnvironmentScope.empty("test", parent: app, defaults: .reported)
        let port = Injected(\.port, scope: test, fileID: "Shop/Server.swift", line: 7)
        #expect(port() == 8080)
        #expect(texts == ["defaultUsed port for test, kept in -"])
        #expect(events.value.first?.location?.description == "Shop/Server.swift:7")
        #expect(
            events.value.first?.description
                == #"used the default of port (Int) in "test", read by the reference at Shop/Server.swift:7"#
        )
        test.port = 1
        #expect(port() == 1)
        #expect(test.user == nil)
        #expect(events.value.count == 1)
    }

    @Test("Each of several observers, those of the scope before those further out")
    func several() {
        let (request, log) = (EnvironmentScope.empty("request", parent: app), Log())
        app.observe { log.add("app \($0.name ?? "")") }
        request.observe { log.add("request \($0.name ?? "")") }
        _ = request.clock
        #expect(log.lines == ["request clock", "app clock"])
        #expect(events.value.count == 1)
    }

    @Test("An event reads well in a log")
    func description() {
        _ = app.address
        let text = "\(events.value[0])"
        #expect(text.wholeMatch(of: /built address \(String\) for "app" in \d+ (ns|µs|ms|s), kept in "app"/) != nil)
    }

    // MARK: What they do

    @Test("An observer may read the scope, and what this builds is not reported")
    func reentrant() {
        let heard = Log()
        app.observe { [unowned app] event in
            heard.add("\(event.name ?? "") \(app.address)")
        }
        _ = app.clock
        #expect(heard.lines == ["clock localhost:8080"])
        #expect(texts == ["built clock for app, kept in -"])
    }

    @Test("What it reads, through whichever scope, is no input of the builds around it")
    func inputs() {
        let alice = EnvironmentScope("alice", parent: app) { $0.user = User(name: "Alice") }
        app.observe { [unowned alice] _ in _ = alice.user }
        let first = alice.database
        #expect(app.localValue(for: \.database) === first)
        alice.user = nil
        #expect(alice.database === first)
    }

    @Test("If it reads the value that failed, that read gets the error, and is not reported", arguments: [true, false])
    func failedValue(isInNewScope: Bool) {
        let codes = Box<[ScopeError.Code?]>([])
        app.provide(\.host) { try $0.token.text }
        app.observe { [unowned app, events] event in
            guard event.name == "host", events.value.count < endless else { return }
            let scope = isInNewScope ? EnvironmentScope.empty("new", parent: app) : app
            do throws(ScopeError) {
                _ = try scope.value(for: \.host)
            } catch {
                codes.update { $0.append(error.code) }
            }
        }
        #expect(throws: ScopeError.self) { try app.value(for: \.host) }
        #expect(codes.value == [.missingValue])
        #expect(texts.filter { $0.contains("host") } == ["failed host for app, kept in -"])
    }

    @Test("If it reads the transient value that was built, that read is not reported")
    func transientValue() {
        app.observe { [unowned app, events] _ in
            if events.value.count < endless { _ = app.clock }
        }
        _ = app.clock
        #expect(texts == ["built clock for app, kept in -"])
    }
}
