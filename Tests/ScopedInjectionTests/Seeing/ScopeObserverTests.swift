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
    private let events: Box<[ScopeEvent]>

    init() { events = app.events() }

    private static let builtClock = #"built clock (Int) for "app" in 1 s, kept nowhere"#
    /// The events without numbers.
    private var texts: [String] { events.value.map { "\($0)".replacing(/\d+ (ns|µs|ms|s)/, with: "1 s") } }

    // MARK: What they are told

    @Test("Of a build: who asked, where it is kept, and how long it took; inner builds first") func builds() {
        let request = EnvironmentScope("request", parent: app) { $0.user = nil }
        _ = request.database
        #expect(
            texts == [
                #"built address (String) for "request" in 1 s, kept in "app""#,
                #"built database (Product) for "request" in 1 s, kept in "app""#,
            ]
        )
        #expect(events.value.map { [$0.name, $0.scope] } == [["address", "request"], ["database", "request"]])
        #expect(events.value[1].duration >= events.value[0].duration)
        #expect(events.value[0].duration > .zero)
    }

    @Test("Of a value that is let go of, with the input that has changed, or another reason") func departures() async {
        let told = { [events] () -> Set<String> in
            let told = events.value.filter { $0.kind == .discarded }
            events.value = []
            return Set(told.map { "\($0)" })
        }
        let request = EnvironmentScope("request", parent: app) { $0.host = "own" }
        /// The events of the address and of what is built from it.
        func both(in scope: String, _ reasons: String...) -> Set<String> {
            [
                "let go of address (String) in \"\(scope)\", because \(reasons[0])",
                "let go of database (Product) in \"\(scope)\", because \(reasons[reasons.count - 1])",
            ]
        }
        _ = (app.database, request.database)
        #expect(told() == [])
        app.port = 2
        #expect(told() == both(in: "app", "port (Int) has changed"))
        _ = request.database
        #expect(told() == both(in: "request", "port (Int) has changed"))
        _ = app.database
        await app.discardBuiltValues(\.address)
        #expect(told() == both(in: "app", "it was discarded", "address (String) was let go of"))
        _ = app.database
        app.removeValue(for: \.database)
        #expect(told() == ["let go of database (Product) in \"app\", because it was set, provided or removed"])
        _ = app.database
        await app.discardBuiltValues()
        #expect(told() == both(in: "app", "it was discarded"))
        app.provide(\.address) { $0.withCleanup(try $0.host) }
        _ = app.database
        await app.close()
        #expect(told() == both(in: "app", "its scope was closed"))
    }

    @Test("Of a run that was thrown away because an input has changed meanwhile") func thrownAway() {
        let runs = Box(0)
        app.provide(\.address) { [unowned app] reader in
            let port = try reader.port
            if runs.next() == 1 { elsewhere { app.port = 2 } }
            return "\(port)"
        }
        #expect(app.address == "2")
        #expect(events.value.map(\.kind) == [.thrownAway, .built])
        let text = #"threw a run for address (String) in "app" away after 1 s, because port (Int) has changed"#
        #expect(texts[0] == text)
    }

    @Test("Not of a read of what is there, of a constant, or of another tree") func reads() {
        _ = app.database
        events.value = []
        _ = app.database
        _ = EnvironmentScope.empty("request", parent: app).database
        _ = app.port
        _ = EnvironmentScope.empty("other", parent: nil).database
        #expect(events.value.isEmpty)
    }

    @Test("Of a builder that throws, with the error of the read") func failures() {
        #expect(throws: ScopeError.self) { try app.value(for: \.failing) }
        #expect(texts.last == #"could not build failing (Int) for "app" in 1 s"#)
        #expect((events.value.last?.error as? ScopeError)?.code == .missingValue)
    }

    @Test("Of a transient value at each read") func transient() {
        for _ in 0..<2 { _ = app.clock }
        #expect(texts == Array(repeating: Self.builtClock, count: 2))
    }

    @Test("Of a read that has waited for another thread's build") func waits() {
        // A waiting thread cannot be seen from outside, so one of the rounds has to show it.
        for _ in 0..<1_000 {
            let (app, probe) = (app, Probe())
            app.provide(\.host) { _ in
                probe.noteBuild()
                return "slow"
            }
            probe.overlap {
                _ = app.host
            } _: {
                _ = app.host
            }
            let waits = events.value.filter { $0.kind == .waited }
            guard waits.isEmpty else {
                #expect(waits.allSatisfy { $0.name == "host" && $0.scope == "app" })
                #expect(texts.contains(#"waited 1 s in "app" for host (String) to be built"#))
                return
            }
        }
        Issue.record("No read has waited.")
    }

    @Test("Of a default that a policy wants to be reported, with the place of the reference") func defaults() {
        let test = EnvironmentScope.empty("test", parent: app, defaults: .reported)
        let port = Injected(\.port, scope: test, fileID: "Shop/Server.swift", line: 7)
        #expect(port() == 8080)
        #expect(events.value.first?.location?.description == "Shop/Server.swift:7")
        let text = #"used the default of port (Int) in "test", read by the reference at Shop/Server.swift:7"#
        #expect(events.value.first?.description == text)
        test.port = 1
        #expect(port() == 1)
        #expect(test.user == nil)
        #expect(events.value.count == 1)
    }

    @Test("Each of several observers, those of the scope before those further out") func several() {
        let (request, log) = (EnvironmentScope.empty("request", parent: app), Log())
        app.observe { log.add("app \($0.name ?? "")") }
        request.observe { log.add("request \($0.name ?? "")") }
        _ = request.clock
        #expect(log.lines == ["request clock", "app clock"])
        #expect(events.value.count == 1)
    }

    // MARK: What they do

    @Test("An observer may read the scope, and what this builds is not reported") func reentrant() {
        let heard = Log()
        app.observe { [unowned app] event in heard.add("\(event.name ?? "") \(app.address)") }
        _ = app.clock
        #expect(heard.lines == ["clock localhost:8080"])
        #expect(texts == [Self.builtClock])
    }

    @Test("What it reads, through whichever scope, is no input of the builds around it") func inputs() {
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
            do throws(ScopeError) { _ = try scope.value(for: \.host) } catch { codes.update { $0.append(error.code) } }
        }
        #expect(throws: ScopeError.self) { try app.value(for: \.host) }
        #expect(codes.value == [.missingValue])
        #expect(texts.filter { $0.contains("host") } == [#"could not build host (String) for "app" in 1 s"#])
    }

    @Test("If it reads the transient value that was built, that read is not reported") func transientValue() {
        app.observe { [unowned app, events] _ in if events.value.count < endless { _ = app.clock } }
        _ = app.clock
        #expect(texts == [Self.builtClock])
    }
}
