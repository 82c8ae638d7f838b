import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var path: ScopeValue<String> { .value("one") }
    fileprivate static var work: ScopeValue<Work> { .required() }
    /// Its cleanup ends when somebody waits for it.
    fileprivate static var pool: ScopeValue<Product> {
        .lazy { reader in
            let (path, work) = (try reader.path, try reader.work)
            reader.onClose { await work.cleanUp(path) }
            return Product(path)
        }
    }
    fileprivate static var failing: ScopeValue<Product> {
        .lazy { reader in
            let work = try reader.work
            reader.onClose { await work.cleanUp("failing") }
            throw Refusal()
        }
    }
}

/// Cleanups that stop until the main actor is free, which it is only when the test waits for them.
private final class Work: Sendable {
    let log = Log()

    func cleanUp(_ name: String) async {
        log.add("\(name) begins")
        await Task { @MainActor in }.value
        log.add("\(name) ends")
    }

    func lines(_ names: String...) -> [String] { names.flatMap { ["\($0) begins", "\($0) ends"] } }
}

@Suite("R11: close, withChild and discardBuiltValues return when the cleanups of what went have ended", .programRoots)
@MainActor
struct CleanupAwaitingTests {
    private let work = Work()
    private let app: EnvironmentScope

    init() { app = EnvironmentScope.empty("app", parent: nil).with(\.work, work) }

    @Test("withChild waits for the cleanup of a value that was replaced or out of date") func withChild() async {
        await app.withChild("request") {
            let request = EnvironmentScope.current
            request.path = "own"
            _ = request.pool
            request.path = "other"
            _ = request.pool
        }
        #expect(work.log.lines.sorted() == work.lines("other", "own"))
    }

    @Test("A discard waits for the cleanups, and a second discard for the first", arguments: [true, false])
    func discard(isSecond: Bool) async {
        _ = app.pool
        let app = app
        var first: Task<Void, Never>?
        if isSecond {
            first = Task { @MainActor in await app.discardBuiltValues() }
            while work.log.lines.isEmpty { await Task.yield() }
        } else {
            app.path = "two"
        }
        await app.discardBuiltValues()
        #expect(work.log.lines == work.lines("one"))
        await first?.value
    }

    @Test("A second close waits for a cleanup that was registered after the first") func registeredLate() async {
        let work = work
        await app.close()
        app.onClose { await work.cleanUp("late") }
        await app.close()
        #expect(work.log.lines == work.lines("late"))
    }

    @Test("close waits for the cleanups of all changes, which wait for nobody") func all() async {
        for path in ["two", "three", "four"] {
            _ = app.pool
            app.path = path
        }
        #expect(throws: ScopeError.self) { try app.value(for: \.failing) }
        _ = app.pool
        await app.close()
        #expect(work.log.lines.sorted() == work.lines("one", "two", "three", "failing", "four").sorted())
    }

    @Test("A cleanup may set, discard and close in its own scope", arguments: [true, false])
    func inCleanup(isClosing: Bool) async {
        let log = work.log
        let app = app
        app.provide(\.host) { [unowned app] reader in
            _ = try reader.path
            reader.onClose {
                log.add("host")
                app.port = 1
                await app.discardBuiltValues()
                await app.discardBuiltValues(\.host)
                await app.close()
                log.add("host ends")
            }
            return "host"
        }
        _ = app.host
        if !isClosing { app.path = "two" }
        await app.close()
        #expect(log.lines == ["host", "host ends"])
        #expect(app.isClosed)
    }

    @Test("The event of a cleanup names its value, or the place where it was registered") func names() async {
        let events = app.events()
        app.onClose(fileID: "Shop/App.swift", line: 7) { throw Refusal() }
        _ = app.pool
        await app.close()
        let ends = events.value.filter { [.cleanedUp, .cleanupFailed].contains($0.kind) }
        #expect(ends.map(\.name) == ["pool", nil])
        #expect(ends.last?.location?.description == "Shop/App.swift:7")
        #expect(ends.first?.description.hasPrefix("ran the cleanup of pool (Product) in \"app\" in") == true)
        #expect(ends.last?.description.hasPrefix("the cleanup of Shop/App.swift:7 in \"app\" failed after") == true)
    }
}
