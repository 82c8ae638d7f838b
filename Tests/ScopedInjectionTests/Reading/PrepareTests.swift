import ScopedInjection
import Testing

private struct Refused: Error, CustomStringConvertible { var description: String { "the disk is full" } }

extension ScopeValues {
    fileprivate static var first: ScopeValue<Deferred<String>> { .required() }
    fileprivate static var second: ScopeValue<Deferred<String>> { .required() }
    fileprivate static var own: ScopeValue<Deferred<String>> { .lazy { _ in Deferred { "own" } } }
    fileprivate static var page: ScopeValue<String> { .required() }
}

@Suite("prepare builds what a program needs, and awaits what is deferred", .programRoots, .timeLimit(.minutes(10)))
struct PrepareTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    private func error(_ body: () async throws -> Void) async throws -> ScopeError {
        try #require(await #expect(throws: ScopeError.self) { try await body() })
    }

    // MARK: What is built

    @Test("Without values, it builds all that is provided here and above") func everything() async throws {
        let request = EnvironmentScope.empty("request", parent: app)
        app.provide(\.host) { "host \(try $0.port)" }
        request.provide(\.token) { Token(text: try $0.host) }
        try await request.prepare()
        #expect(app.localValue(for: \.host) == "host 8080")
        #expect(request.localValue(for: \.token)?.text == "host 8080")
    }

    @Test("It builds what is named, and nothing else") func named() async throws {
        app.provide(\.host) { _ in "host" }
        app.provide(\.page) { _ in "page" }
        try await app.prepare(\.page, { $0.port })
        #expect(app.localValue(for: \.page) == "page" && app.localValue(for: \.host) == nil)
    }

    @Test("What is deferred is awaited, where it is provided or named") func deferred() async throws {
        app.provide(\.first) { _ in Deferred { "first" } }
        try await app.prepare()
        #expect(app.localValue(for: \.first)?.valueIfReady == "first")
        #expect(app.localValue(for: \.own) == nil, "it has the builder of its declaration only")
        try await app.prepare(\.own)
        #expect(app.localValue(for: \.own)?.valueIfReady == "own")
    }

    @Test("Deferred values are awaited at the same time: two may wait for each other") func sameTime() async throws {
        let barriers = [Barrier(), Barrier()]
        @Sendable func meeting(_ number: Int) -> Deferred<String> {
            Deferred {
                barriers[number].open()
                await barriers[1 - number].pass()
                return "\(number)"
            }
        }
        app.provide(\.first) { _ in meeting(0) }
        app.provide(\.second) { _ in meeting(1) }
        try await app.prepare()
        #expect([app.first.valueIfReady, app.second.valueIfReady] == ["0", "1"])
    }

    // MARK: Failures

    @Test("One that fails is thrown as its own error, and the others are built") func oneFails() async throws {
        app.provide(\.host) { _ in "host" }
        app.provide(\.first) { _ in Deferred { throw Refused() } }
        let error = try await error { try await app.prepare() }
        let text = """
            The value for first (Deferred<String>) could not be built: the disk is full
              Provided at: ScopedInjectionTests/PrepareTests.swift:67
              Searched: "app"
            """
        #expect("\(error)".hasPrefix(text))
        #expect(error.code == .makeFailed && error.underlyingError is Refused)
        #expect(app.localValue(for: \.host) == "host")
    }

    @Test("Several that fail are one error, which has each by name, built or deferred")
    func severalFail() async throws {
        app.provide(\.first) { _ in Deferred { throw Refused() } }
        app.provide(\.second) { _ in Deferred { "second" } }
        app.provide(\.host) { _ in throw Refused() }
        let error = try await error { try await app.prepare(\.first, \.second, \.token, \.host, \.own) }
        #expect(error.code == .invalid && error.failures.map(\.name) == ["token", "host", "first"])
        #expect(error.failures.map(\.code) == [.missingValue, .makeFailed, .makeFailed])
        #expect([app.second.valueIfReady, app.own.valueIfReady] == ["second", "own"])
    }

    @Test("What failed because of another value is not listed a second time") func causeOnce() async throws {
        app.provide(\.port) { _ in throw Refused() }
        app.provide(\.host) { "host \(try $0.port)" }
        app.provide(\.page) { try $0.host }
        let error = try await error { try await app.prepare() }
        #expect(error.failures.isEmpty && error.name == "port")
    }

    @Test("After a failure nothing is closed, and a second call makes only what failed")
    func secondCall() async throws {
        let (log, fails) = (Log(), Box(true))
        app.provide(\.first) { reader in
            reader.deferred {
                log.add("first")
                return "first"
            } onClose: { _ in
                log.add("closed first")
            }
        }
        app.provide(\.second) { _ in
            Deferred {
                log.add("second")
                if fails.value { throw Refused() }
                return "second"
            }
        }
        app.provide(\.host) { reader in
            log.add("host")
            return reader.withCleanup("host") { log.add("closed host") }
        }
        let error = try await error { try await app.prepare() }
        #expect(error.name == "second")
        #expect(log.lines.sorted() == ["first", "host", "second"])
        fails.value = false
        try await app.prepare()
        #expect(log.lines.dropFirst(3) == ["second"])
        await app.close()
        #expect(Set(log.lines.dropFirst(4)) == ["closed first", "closed host"])
    }

    // MARK: Cancellation

    @Test("A cancelled call throws a CancellationError; what is being made goes on, and the closing waits for it")
    func cancelled() async throws {
        let (log, begun, mayEnd) = (Log(), Barrier(), Barrier())
        app.provide(\.first) { reader in
            reader.deferred {
                begun.open()
                await mayEnd.pass()
                log.add("made")
                return "first"
            } onClose: { _ in
                log.add("closed")
            }
        }
        app.provide(\.host) { _ in throw Refused() }
        let preparing = Task { [app] in try await app.prepare() }
        await begun.pass()
        preparing.cancel()
        await #expect(throws: CancellationError.self) { try await preparing.value }
        #expect(log.lines == [])
        #expect(!app.isClosed)
        let closing = startAtOnce { [app] in await app.close() }
        mayEnd.open()
        await closing.value
        #expect(log.lines == ["made", "closed"])
    }

    @Test("A CancellationError in a task that is not cancelled is a failure") func notCancelled() async throws {
        app.provide(\.first) { _ in Deferred { throw CancellationError() } }
        app.provide(\.host) { _ in throw CancellationError() }
        let error = try await error { try await app.prepare() }
        #expect(error.failures.map(\.name) == ["host", "first"])
    }

    @Test("In a cancelled task what waits for nothing is built, unless its builder stops", arguments: [true, false])
    func cancelledBefore(stops: Bool) async {
        app.provide(\.host) { _ in
            if stops { try Task.checkCancellation() }
            return "host"
        }
        let preparing = Task { [app] in
            withUnsafeCurrentTask { $0?.cancel() }
            try await app.prepare()
        }
        let result = await preparing.result
        if stops { #expect(throws: CancellationError.self) { try result.get() } }
        if !stops { #expect(throws: Never.self) { try result.get() } }
        #expect(app.localValue(for: \.host) == (stops ? nil : "host"))
    }

    // MARK: A limit

    @Test("At its limit it says what has failed, and names what is not made, which goes on")
    func limit() async throws {
        let gate = Barrier()
        app.provide(\.first) { _ in throw Refused() }
        app.second = Deferred {
            await gate.pass()
            return "second"
        }
        #expect(try await app.own() == "own")
        let error = try await error { try await app.prepare(\.first, \.second, \.own, within: .milliseconds(50)) }
        #expect(error.failures.map(\.name) == ["first", "second"])
        #expect(error.failures.map(\.code) == [.makeFailed, .invalid])
        let text = """
            second (Deferred<String>) was not made within 50 ms.
              Declared at: \(error.failures.last?.location?.description ?? "")
              To fix it: see what it waits for, or give it more time; it goes on to be made.
            """
        #expect(error.failures.last?.description == text)
        gate.open()
        #expect(try await app.second() == "second")
        try await app.prepare(\.second, within: .seconds(60))
    }

    @Test("Within its limit it returns at once, and a cancellation passes as such") func withinLimit() async throws {
        app.first = Deferred { "first" }
        try await app.prepare(\.first, within: .seconds(600))
        let gate = Barrier()
        app.second = Deferred {
            await gate.pass()
            return "second"
        }
        let start = startAtOnce { [app] in
            await #expect(throws: CancellationError.self) { try await app.prepare(\.second, within: .seconds(600)) }
        }
        start.cancel()
        await start.value
        gate.open()
    }
}
