import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var opening: ScopeValue<Opening> { .required() }
    fileprivate static var path: ScopeValue<String> { .value("one") }
    fileprivate static var connection: ScopeValue<Deferred<Product>> {
        .lazy { reader in
            let (path, opening) = (try reader.path, try reader.opening)
            return reader.deferred {
                try await opening.open(path)
            } onClose: { product in
                opening.log.add("closed \(product.text)")
            }
        }
    }
}

private final class Opening: Sendable {
    let log = Log()
    let begun = Barrier()
    let mayEnd = Barrier()
    let fails = Box(false)

    func open(_ path: String) async throws -> Product {
        log.add("opens \(path)")
        begun.open()
        await mayEnd.pass()
        if fails.value { throw Refusal() }
        log.add("opened \(path)")
        return Product(path)
    }
}

@Suite("R11: what a reader's deferred value has made is closed, once", .programRoots)
struct DeferredClosingTests {
    private let opening = Opening()
    private let app: EnvironmentScope

    init() { app = EnvironmentScope.empty("app", parent: nil).with(\.opening, opening) }

    @Test("What was made is closed with the scope, and given to nobody from then on") func made() async throws {
        opening.mayEnd.open()
        let connection = app.connection
        _ = try await connection()
        await app.close()
        await app.close()
        #expect(opening.log.lines == ["opens one", "opened one", "closed one"])
        let error = try await #require(throws: ScopeError.self) { try await connection() }
        #expect(error.code == .closed)
        #expect(connection.valueIfReady == nil)
    }

    @Test("What is being made is awaited first, and closed", arguments: [true, false])
    @MainActor
    func beingMade(isCancelled: Bool) async throws {
        let connection = app.connection
        let reading = Task.detached { try await connection() }
        await opening.begun.pass()
        if isCancelled {
            reading.cancel()
            await #expect(throws: CancellationError.self) { try await reading.value }
        }
        let opening = opening
        // The main actor is free for this only when the close has begun to wait.
        Task { @MainActor in
            opening.log.add("waiting")
            opening.mayEnd.open()
        }
        await app.close()
        #expect(opening.log.lines == ["opens one", "waiting", "opened one", "closed one"])
        if !isCancelled { #expect(try await reading.value.text == "one") }
    }

    @Test("What nobody awaited is not made, then or later, nor where a change let go of it", arguments: [true, false])
    func unmade(isChanged: Bool) async throws {
        let connection = app.connection
        opening.mayEnd.open()
        if isChanged { app.path = "two" }
        await app.close()
        let error = try await #require(throws: ScopeError.self) { try await connection() }
        #expect(error.code == .closed && error.name == "connection")
        #expect(connection.valueIfReady == nil)
        #expect(opening.log.lines.isEmpty)
    }

    @Test("What is being made is cancelled, and closed if something came of it all the same")
    func cancelled() async throws {
        let (opening, begun) = (opening, Barrier())
        app.provide(\.connection) { reader in
            reader.deferred {
                begun.open()
                while !Task.isCancelled { await Task.yield() }
                opening.log.add("cancelled")
                return Product("made")
            } onClose: { _ in
                opening.log.add("closed")
            }
        }
        let connection = app.connection
        let reading = Task.detached { try await connection() }
        await begun.pass()
        await app.close()
        #expect(opening.log.lines == ["cancelled", "closed"])
        #expect(try await reading.value.text == "made")
    }

    @Test("Who awaits one that is cancelled so gets an error that says why, if nothing came of it")
    func cancelledInVain() async throws {
        let begun = Barrier()
        app.provide(\.connection) { reader in
            reader.deferred {
                begun.open()
                try await Task.sleep(for: .seconds(1_000))
                return Product("made")
            } onClose: { _ in
                Issue.record("nothing was made")
            }
        }
        let connection = app.connection
        let reading = Task.detached { try await connection() }
        await begun.pass()
        await app.close()
        let error = await #expect(throws: ScopeError.self) { try await reading.value }
        #expect(error?.code == .closed)
    }

    @Test("What a change lets go of is made, awaited and closed once no request has it that was running then")
    func held() async throws {
        let (read, mayAwait) = (Barrier(), Barrier())
        opening.mayEnd.open()
        let (app, opening) = (app, opening)
        let request = Task {
            try await app.withChild("request") {
                let connection = app.connection
                read.open()
                await mayAwait.pass()
                return try await connection().text
            }
        }
        await read.pass()
        app.path = "two"
        mayAwait.open()
        #expect(try await request.value == "one")
        await app.close()
        #expect(opening.log.lines == ["opens one", "opened one", "closed one"])
    }

    @Test("An error of a close is told, with its begin, as of any other cleanup") func error() async throws {
        app.provide(\.connection) { reader in
            let path = try reader.path
            return reader.deferred {
                Product(path)
            } onClose: { _ in
                throw Refusal()
            }
        }
        let events = app.events()
        _ = try await app.connection()
        app.path = "two"
        // It waits for what was let go of last, too.
        await app.close()
        let kinds = events.value.map(\.kind).filter { $0 != .draining }
        #expect(kinds == [.built, .built, .discarded, .cleanupBegan, .cleanupFailed])
    }

    @Test("It is closed once, where who has awaited it drops it while its cleanup runs") func raced() async {
        let (made, closed) = (Box(0), Box(0))
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for round in 1...500 {
                        let app = EnvironmentScope("app", parent: nil) { $0.path = "" }
                        app.provide(\.connection) { reader in
                            _ = try reader.path
                            return reader.deferred {
                                await Task.yield()
                                made.update { $0 += 1 }
                                return Product("")
                            } onClose: { _ in
                                closed.update { $0 += 1 }
                            }
                        }
                        async let used: Void = { _ = try? await app.connection() }()
                        if round % 2 == 0 { await Task.yield() }
                        app.path = "\(round)"
                        await used
                        await app.close()
                    }
                }
            }
        }
        #expect(closed.value == made.value)
    }

    @Test("A deferred value that could not be made is not closed", arguments: [true, false])
    func failed(isFailingLate: Bool) async throws {
        opening.fails.value = true
        let connection = app.connection
        let reading = Task { try await connection() }
        await opening.begun.pass()
        opening.mayEnd.open()
        if !isFailingLate { _ = await reading.result }
        await app.close()
        _ = await reading.result
        #expect(opening.log.lines == ["opens one"])
    }

    @Test("A run that closes the scope which closes its result is not waited for", .timeLimit(.minutes(30)))
    func circle() async throws {
        app.provide(\.connection) { [unowned app] reader in
            reader.deferred {
                await app.close()
                return Product("made")
            } onClose: { _ in
                Issue.record("it was not made when its end came")
            }
        }
        #expect(try await app.connection().text == "made")
        #expect(app.isClosed)
    }
}
