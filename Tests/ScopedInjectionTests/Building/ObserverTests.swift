import ScopedInjection
import Testing

private enum DatabaseKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Product { Product(try scope.value(for: HostKey.self)) }
}
private enum FailingKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Int {
        _ = try scope.value(for: TokenKey.self); return 1
    }
}
private enum ClockKey: ScopeKey {
    static let lifetime = ValueLifetime.transient
    static func makeValue(in scope: EnvironmentScope) -> Int { 1 }
}

private final class Bound: Sendable {
    let port = Injected(\.port)
}
private enum BoundKey: ScopeKey { typealias Value = Bound }

/// More events than there are, and fewer than the stack has room for.
private let endless = 20

@Suite("Observers are told what takes time")
struct ObserverTests {
    let app = EnvironmentScope.empty("app", parent: nil)
    let events = Box<[ScopeEvent]>([])

    init() {
        let events = events
        app.observe { event in events.update { $0.append(event) } }
    }

    private var texts: [String] {
        events.value.map { event in
            "\(event.kind) \(event.key ?? "-") for \(event.scope), kept in \(event.keptIn ?? "-")"
        }
    }

    @Test("A build is reported with the scope that asked and the one that keeps the value, inner builds first")
    func builds() {
        let request = EnvironmentScope.empty("request", parent: app).with(\.port, 1)
        _ = request[DatabaseKey.self]
        #expect(texts == ["built HostKey for request, kept in app", "built DatabaseKey for request, kept in app"])
        #expect(events.value[1].valueType == "Product")
        #expect(events.value[1].duration >= events.value[0].duration)
        #expect(events.value[0].duration > .zero)
    }

    @Test("The scope that keeps a value does not own itself by it, though the observer moves the asking one")
    func moved() {
        let watch = LifetimeWatch()
        let other = EnvironmentScope.empty("other", parent: nil)
        let request: EnvironmentScope
        do {
            let app = watch.add(EnvironmentScope.empty("app", parent: nil))
            let service = watch.add(Bound())
            app.replace(in: service)
            app.provide(BoundKey.self) { _ in service }
            request = .empty("request", parent: app)
            request.observe { [weak request] event in
                if event.kind == .built { request?.parent = other }
            }
            #expect(request[BoundKey.self] === service)
            #expect(request.parent === other)
            #expect(app.localValue(for: BoundKey.self) === service)
        }
        #expect(watch.alive == 0)
    }

    @Test("A scope that an observer makes is its own, and no part of what is built", arguments: [false, true])
    func makesScope(isByObserver: Bool) {
        let app = app
        let made = Box<EnvironmentScope?>(nil)
        let make: @Sendable () -> Void = {
            if made.value == nil { made.value = EnvironmentScope("made", parent: app) { $0.host = "made" } }
        }
        let value = ScopeValue<String>(name: "value") { _ in made.value.map { $0.host } ?? "gone" }
        if isByObserver { app.observe { _ in make() } } else { make() }
        _ = app.port
        #expect(app[value] == "made")
        made.value = nil
        #expect(EnvironmentScope.empty("request", parent: app)[value] == "gone")
    }

    @Test("A read of a value that is there is not reported")
    func reads() {
        _ = app[DatabaseKey.self]
        events.value = []
        _ = app[DatabaseKey.self]
        _ = EnvironmentScope.empty("request", parent: app)[DatabaseKey.self]
        #expect(events.value.isEmpty)
    }

    @Test("A builder that throws is reported with its error")
    func failures() {
        #expect(throws: ScopeError.self) { try app.value(for: FailingKey.self) }
        #expect(texts == ["failed TokenKey for app, kept in -", "failed FailingKey for app, kept in -"])
        #expect(events.value[1].error?.code == .missingValue)
    }

    @Test("A transient value is reported at each read")
    func transient() {
        for _ in 0..<2 { _ = app[ClockKey.self] }
        #expect(texts == Array(repeating: "built ClockKey for app, kept in -", count: 2))
    }

    @Test("A read that waits for another thread's build is reported to have waited")
    func waits() {
        let started = Gate()
        let goOn = Gate()
        app.provide(DatabaseKey.self) { _ in
            started.open()
            goOn.wait()
            return Product("slow")
        }
        let app = app
        let first = onThread { _ = app[DatabaseKey.self] }
        started.wait()
        let second = onThread {
            // Opened by the event of a build on this thread while the other build is in progress.
            _ = app.port
            _ = app[DatabaseKey.self]
        }
        while !events.value.contains(where: { $0.key == "PortKey" }) {}
        goOn.open()
        first.wait()
        second.wait()
        #expect(events.value.filter { $0.kind == .built && $0.key == "DatabaseKey" }.count == 1)
        #expect(events.value.filter { $0.kind == .waited }.allSatisfy { $0.key == "DatabaseKey" })
    }

    @Test("Each cleanup of a scope below is reported when it is over")
    func cleanups() async {
        let request = EnvironmentScope.empty("request", parent: app)
        let done = Box(0)
        for _ in 0..<2 { request.onClose { done.update { $0 += 1 } } }
        await request.close()
        #expect(done.value == 2)
        #expect(texts == Array(repeating: "cleanedUp - for request, kept in -", count: 2))
    }

    @Test("A sibling of the observed scope is not reported")
    func besides() {
        _ = EnvironmentScope.empty("other", parent: nil)[DatabaseKey.self]
        #expect(events.value.isEmpty)
    }

    @Test("An observer may read the scope, and is told of the builds that this causes")
    func reentrant() {
        let scope = EnvironmentScope.empty("scope", parent: nil)
        let heard = Box<[String]>([])
        scope.observe { [weak scope] event in
            heard.update { $0.append(event.key ?? "") }
            _ = scope?.port
        }
        _ = scope.host
        #expect(heard.value == ["HostKey", "PortKey"])
    }

    @Test("What it reads through any scope is no input of the builds around it", arguments: [true, false])
    func inputs(ofCurrent: Bool) {
        let alice = EnvironmentScope("alice", parent: app) { $0.user = User(name: "Alice") }
        let builds = Box(0)
        app.provide(DatabaseKey.self) { [builds] scope in
            builds.value += 1
            return Product(try scope.value(for: HostKey.self))
        }
        app.observe { [unowned alice] _ in _ = ofCurrent ? EnvironmentScope.current.user : alice.user }
        let first = alice[DatabaseKey.self]
        #expect(app.localValue(for: DatabaseKey.self) === first)
        alice.user = nil
        #expect(alice[DatabaseKey.self] === first)
        #expect(builds.value == 1)
    }

    @Test("If it reads the value that is being built around it, that is a cycle for it alone")
    func valueAround() {
        let codes = Box<[ScopeError.Code?]>([])
        app.observe { [unowned app] event in
            guard event.key == "HostKey" else { return }
            do throws(ScopeError) {
                _ = try app.value(for: DatabaseKey.self)
            } catch {
                codes.update { $0.append(error.code) }
            }
        }
        #expect(throws: Never.self) { try app.value(for: DatabaseKey.self) }
        #expect(codes.value == [.cycle])
    }

    @Test("If it reads the value that failed, that read gets the error, and is not reported", arguments: [true, false])
    func failedValue(inNewScope: Bool) {
        let codes = Box<[ScopeError.Code?]>([])
        app.observe { [unowned app, events] _ in
            guard events.value.count < endless else { return }
            let scope = inNewScope ? EnvironmentScope.empty("new", parent: app) : app
            do throws(ScopeError) {
                _ = try scope.value(for: TokenKey.self)
            } catch {
                codes.update { $0.append(error.code) }
            }
        }
        #expect(throws: ScopeError.self) { try app.value(for: TokenKey.self) }
        #expect(codes.value == [.missingValue])
        #expect(texts == ["failed TokenKey for app, kept in -"])
    }

    @Test("If it reads a value that needs the one that failed, only the first failure of each is reported")
    func valueThatFailsToo() {
        app.observe { [unowned app, events] _ in
            if events.value.count < endless { _ = try? app.value(for: FailingKey.self) }
        }
        #expect(throws: ScopeError.self) { try app.value(for: TokenKey.self) }
        #expect(texts == ["failed TokenKey for app, kept in -", "failed FailingKey for app, kept in -"])
    }

    @Test("If it reads the transient value that was built, that read is not reported")
    func transientValue() {
        app.observe { [unowned app, events] _ in
            if events.value.count < endless { _ = app[ClockKey.self] }
        }
        _ = app[ClockKey.self]
        #expect(texts == ["built ClockKey for app, kept in -"])
    }

    @Test("A value that is built for it, and a scope that it makes, are as anywhere")
    func ownBuilds() {
        let made = Box<EnvironmentScope?>(nil)
        app.observe { [made] event in
            guard event.key == "HostKey" else { return }
            made.value = EnvironmentScope("made") { $0.host = "\($0.port)" }
        }
        _ = app[DatabaseKey.self]
        #expect(made.value?.host == "8080")
        app.port = 1
        #expect(made.value?[DatabaseKey.self].text == "8080")
        made.value?.host = "other"
        #expect(made.value?[DatabaseKey.self].text == "other")
        #expect(made.value?.port == 1)
    }

    @Test("An event reads well in a log")
    func description() {
        _ = app.host
        let text = "\(events.value[0])"
        #expect(text.hasPrefix(#"built HostKey (String) for "app" in "#))
        #expect(text.hasSuffix(#", kept in "app""#))
    }
}
