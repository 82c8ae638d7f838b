import ScopedInjection
import Testing

private struct Unreachable: Error {}

extension ScopeValues {
    fileprivate static var link: ScopeValue<Deferred<String>> {
        .lazy { reader in
            let (file, log, gate) = (try reader.file, try reader.log, try reader.linkGate)
            return reader.deferred {
                log.add("connect \(file)")
                await gate?.pass()
                try Task.checkCancellation()
                if file == "bad" { throw Unreachable() }
                return file
            } onClose: {
                log.add("disconnect \($0)")
            }
        }
    }
    fileprivate static var other: ScopeValue<Deferred<String>> {
        .lazy { reader in
            let (file, log, gate) = (try reader.file, try reader.log, try reader.otherGate)
            return Deferred {
                log.add("other \(file)")
                await gate?.pass()
                return file
            }
        }
    }
    fileprivate static var linkGate: ScopeValue<Barrier?> { .optional() }
    fileprivate static var otherGate: ScopeValue<Barrier?> { .optional() }
    fileprivate static var slow: ScopeValue<Storage> {
        .lazy { reader in
            let (file, log, gate) = (try reader.file, try reader.log, try reader.linkGate)
            reader.onClose {
                await gate?.pass()
                log.add("ended \(file)")
            }
            return Storage(size: 0, file: file)
        }
    }
}

@Suite("R18: a reload is an update that awaits", .programRoots, .timeLimit(.minutes(10)))
struct ReloadTests {
    private let (app, log): (EnvironmentScope, Log)

    init() { (app, log) = makeLoggedApp() }

    @Test("What is deferred and was made is made before the step, and what was replaced has ended when it returns")
    func deferred() async throws {
        #expect(try await app.link() == "a")
        try await app.reload {
            await Task.yield()
            $0.file = "b"
            #expect(EnvironmentScope.current === $0)
        }
        #expect(app.link.valueIfReady == "b")
        #expect(log.take() == ["connect a", "connect b", "disconnect a"])
        await app.close()
        #expect(log.lines == ["disconnect b"])
    }

    @Test("What is deferred and was never made is made when it is awaited, unless it is named")
    func unmade() async throws {
        _ = (app.link, app.other)
        try await app.reload(rebuilding: \.other) { $0.file = "b" }
        #expect(app.link.valueIfReady == nil && app.other.valueIfReady == "b")
        #expect(log.lines == ["other b"])
    }

    @Test("All that is deferred is awaited at once") func atOnce() async throws {
        _ = (try await app.link(), try await app.other())
        _ = log.take()
        let (one, two) = (Barrier(), Barrier())
        let reload = Task { [app] in
            try await app.reload {
                $0.file = "b"
                $0.linkGate = one
                $0.otherGate = two
            }
        }
        await log.wait(for: "connect b")
        await log.wait(for: "other b")
        #expect(app.file == "a" && app.link.valueIfReady == "a")
        one.open()
        two.open()
        try await reload.value
        #expect(app.link.valueIfReady == "b" && app.other.valueIfReady == "b")
    }

    @Test("Where something cannot be made, the error names it, and nothing has changed") func refused() async throws {
        _ = (try await app.link(), try await app.other())
        _ = log.take()
        let error = await #expect(throws: ScopeError.self) { try await app.reload { $0.file = "bad" } }
        #expect(error?.name == "link" && error?.code == .makeFailed && error?.underlyingError is Unreachable)
        #expect(error?.searchedScopes == ["app"])
        #expect(app.file == "a" && app.link.valueIfReady == "a")
        await app.close()
        #expect(log.lines.sorted() == ["connect bad", "disconnect a", "other bad"])
    }

    @Test("What was made in vain is closed before the error is passed on") func madeInVain() async throws {
        _ = try await app.link()
        _ = log.take()
        await #expect(throws: ScopeError.self) {
            try await app.reload {
                $0.file = "b"
                _ = try $0.value(for: \.tokenUser)
            }
        }
        #expect(log.take() == [])
        app.provide(\.listener) { reader in
            if try reader.file == "b" { throw TooMany() }
            return Product("")
        }
        _ = app.listener
        await #expect(throws: ScopeError.self) {
            try await app.reload {
                $0.file = "b"
                _ = try await $0.link()
            }
        }
        #expect(log.lines == ["connect b", "disconnect b"] && app.link.valueIfReady == "a")
    }

    @Test("The closure's own error passes unchanged, after its cleanups") func ownError() async throws {
        await #expect(throws: TooMany.self) {
            try await app.reload {
                $0.onClose { [log] in log.add("own") }
                throw TooMany()
            }
        }
        #expect(log.lines == ["own"])
    }

    @Test("A cancellation refuses the step, and passes as such") func cancellation() async throws {
        _ = try await app.link()
        let gate = Barrier()
        let reload = Task { [app] in
            try await app.reload {
                $0.file = "b"
                $0.linkGate = gate
            }
        }
        await log.wait(for: "connect b")
        reload.cancel()
        // What is being made is cancelled, and awaited.
        gate.open()
        await #expect(throws: CancellationError.self) { try await reload.value }
        #expect(app.file == "a" && app.link.valueIfReady == "a")
        await app.close()
        // What was made all the same is closed.
        #expect(log.lines.filter { $0 != "disconnect b" } == ["connect a", "connect b", "disconnect a"])
    }

    @Test("Other values are built first, as by an update, and a set meanwhile refuses it")
    func meanwhile() async throws {
        _ = app.storageUser
        var calls = 0
        let error = await #expect(throws: ScopeError.self) {
            try await app.reload { scope in
                await Task.yield()
                calls += 1
                scope.quota += 1
                elsewhere { [app] in app.quota = 20 }
            }
        }
        #expect(calls == 1 && error?.code == .invalid && app.storageUser.text == "on 20a")
    }

    @Test("It waits for the reload before it, also for one that fails") func oneAfterTheOther() async throws {
        let (began, mayEnd) = (Barrier(), Barrier())
        let first = Task { [app, log] in
            try await app.reload {
                $0.quota += 1
                began.open()
                await mayEnd.pass()
                log.add("first")
                throw TooMany()
            }
        }
        await began.pass()
        let others = (0..<3).map { _ in
            startAtOnce { [app, log] in
                try? await app.reload {
                    log.add("other")
                    $0.quota += 1
                    await Task.yield()
                }
            }
        }
        #expect(log.lines == [])
        mayEnd.open()
        await #expect(throws: TooMany.self) { try await first.value }
        for other in others { await other.value }
        #expect(app.quota == 13 && log.lines == ["first", "other", "other", "other"])
    }

    @Test("An update refuses to replace what is deferred and was made by what is not") func update() async throws {
        let link = app.link
        try app.update { $0.file = "b" }
        #expect(app.link !== link)
        #expect(try await app.link() == "b")
        let error = #expect(throws: ScopeError.self) { try app.update { $0.file = "c" } }
        let text = """
            An update of "app" replaces link, which was made, by one that is not made yet.
              To fix it: call reload, which makes it first.
            """
        #expect(error?.description == text)
        #expect(app.file == "b" && app.link.valueIfReady == "b")
    }

    @Test("It returns at the limit, and observers are told of what has not ended") func limit() async throws {
        let (gate, seen) = (Barrier(), Log())
        app.linkGate = gate
        _ = app.slow
        app.observe { if $0.kind == .cleanupOverdue { seen.add("\($0.name ?? "") \($0.duration)") } }
        try await app.reload(closingWithin: .milliseconds(50)) { $0.file = "b" }
        #expect(app.file == "b" && seen.lines == ["slow 0.05 seconds"] && log.lines == [])
        gate.open()
        await app.close()
        #expect(log.lines.sorted() == ["ended a", "ended b"])
    }

    @Test("It does not wait for what a request holds, which ends once that has left") func drain() async throws {
        let (began, mayEnd) = (Barrier(), Barrier())
        let request = Task { [app] in
            await app.withChild("request", role: .request) {
                $0.main = 1
            } operation: {
                _ = EnvironmentScope.current.ofRequest
                began.open()
                await mayEnd.pass()
            }
        }
        await began.pass()
        let reload = Task { [app, log] in
            try await app.reload { $0.file = "b" }
            log.add("reloaded")
        }
        try await reload.value
        #expect(log.lines == ["open 10a", "open 10b", "reloaded"])
        mayEnd.open()
        await request.value
        await log.wait(for: "close 10a")
        #expect(log.lines.suffix(2) == ["end of request", "close 10a"])
    }

    @Test("A request that reloads its application does not wait for itself") func ofOwnRequest() async throws {
        try await app.withChild("request", role: .request) {
            $0.main = 1
        } operation: {
            _ = EnvironmentScope.current.ofRequest
            try await app.reload { $0.file = "b" }
            #expect(log.lines == ["open 10a", "open 10b"])
        }
        await log.wait(for: "close 10a")
        #expect(log.lines == ["open 10a", "open 10b", "end of request", "close 10a"])
    }
}

extension ScopeValues {
    /// Of a request, and built from what is of its application.
    fileprivate static var ofRequest: ScopeValue<Product> {
        .lazy(.once(in: .request)) { try $0.product($0.storage.text, saying: "end of request") }
    }
}
