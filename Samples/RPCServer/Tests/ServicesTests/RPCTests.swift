import GRPCCore
import GRPCNIOTransportHTTP2Posix
import ScopedInjection
import ScopedInjectionTesting
import Synchronization
import Testing

@testable import Services

@Suite("Calls of two services over loopback", .scope { $0.accounts = ["token-ada": "Ada", "token-bob": "Bob"] })
struct RPCTests {
    @Test func callsOfAllKindsAtOnceReadTheirOwnUserToTheirEnd() async throws {
        try await withNotes { notes in
            try await withThrowingTaskGroup { group in
                for number in 0..<20 {
                    let user = number.isMultiple(of: 2) ? "Ada" : "Bob"
                    let metadata: Metadata = ["authorization": .string("token-\(user.lowercased())")]
                    group.addTask {
                        let receipt = try await notes.call(NotesService.add, "\(number)", metadata)
                        #expect(receipt.text == "Notes: \(user) added \(number)")
                    }
                    group.addTask {
                        let answer = try await notes.texts(NotesService.import, metadata, ["a", "b", "c"])
                        #expect(answer == ["3 notes of \(user)"])
                    }
                    group.addTask {
                        let answer = try await notes.texts(NotesService.watch, metadata, [50])
                        #expect(answer == (1...50).map { "\($0) for \(user), who is \(user)" })
                    }
                    group.addTask {
                        let answer = try await notes.texts(NotesService.chat, metadata, (0..<50).map(String.init))
                        #expect(answer == (0..<50).map { "\(user) said \($0)" })
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test func aStreamsScopeIsClosedAfterItsLastMessage() async throws {
        let board = EnvironmentScope.current.board
        try await withNotes { notes in
            _ = try await notes.texts(NotesService.watch, ["authorization": "token-ada"], [3])
        }
        #expect(await board.news.first(2) == ["Ada came", "Ada left"])
    }

    @Test func aStreamsScopeIsClosedWhenItsClientHasGone() async throws {
        let board = EnvironmentScope.current.board
        try await withNotes { notes in
            let (messages, sent) = AsyncStream<String>.makeStream()
            let endless = Task { try await notes.watch(["authorization": "token-bob"]) { sent.yield($0) } }
            #expect(await messages.first(3) == (1...3).map { "\($0) for Bob, who is Bob" })
            endless.cancel()
            _ = await endless.result
            #expect(await board.news.first(2) == ["Bob came", "Bob left"])
        }
    }

    @Test func aStreamsScopeIsClosedWhenItsDeadlineHasPassed() async throws {
        let board = EnvironmentScope.current.board
        try await withNotes { notes in
            await #expect(throws: RPCError.self) {
                try await notes.watch(["authorization": "token-ada", "grpc-timeout": "200m"]) { _ in }
            }
        }
        #expect(await board.news.first(2) == ["Ada came", "Ada left"])
    }

    @Test func aScopeIsClosedThoughItsAnswerIsNeverWritten() async throws {
        let (board, cancellation) = (EnvironmentScope.current.board, ServerContext.RPCCancellationHandle())
        let context = ServerContext(
            descriptor: NotesService.watch.descriptor,
            remotePeer: "",
            localPeer: "",
            cancellation: cancellation
        )
        let request = ServerRequest(metadata: ["authorization": "token-ada"], message: 1)
        _ = try await RequestScopes(of: .current).intercept(
            request: StreamingServerRequest(single: request),
            context: context
        ) { _, _ in
            _ = EnvironmentScope.current.subscription
            return StreamingServerResponse(of: String.self) { _ in [:] }
        }
        cancellation.cancel()
        #expect(await board.news.first(2) == ["Ada came", "Ada left"])
    }

    @Test func aServerThatIsToldToStopEndsTheCallsUnderWayWithTheirCleanups() async throws {
        let board = EnvironmentScope.current.board
        let begun = Count()
        let answers = try await stop(endingWithin: .seconds(300)) { notes, stop in
            try await withThrowingTaskGroup { group in
                for _ in 0..<20 {
                    group.addTask {
                        try await notes.call(NotesService.watch, ["authorization": "token-ada"]) {
                            try await $0.write(200)
                        } answer: { answers in
                            try await answers.reduce(0) { count, _ in
                                if count == 20, begun.next() == 20 { stop() }
                                return count + 1
                            }
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(answers == Array(repeating: 200, count: 20))
        let lines = await board.news.first(40)
        #expect(lines.count { $0 == "Ada left" } == 20)
    }

    @Test func aCallThatDoesNotEndIsCancelledWhereTheServerStops() async throws {
        let board = EnvironmentScope.current.board
        try await stop(endingWithin: .milliseconds(50)) { notes, stop in
            await #expect(throws: RPCError.self) {
                try await notes.watch(["authorization": "token-bob"]) { _ in stop() }
            }
        }
        #expect(await board.news.first(2) == ["Bob came", "Bob left"])
    }

    @Test func theIdentifierTheTraceAndTheDeadlineGoOnToTheSecondService() async throws {
        let trace = "00-0123456789abcdef0123456789abcdef-0123456789abcdef-01"
        try await withNotes { notes in
            var metadata: Metadata = ["authorization": "token-ada", "request-id": "seven", "grpc-timeout": "60S"]
            metadata.addString(trace, forKey: "traceparent")
            let receipt = try await notes.call(NotesService.add, "milk", metadata)
            let call = try #require(receipt.call)
            #expect(call.requestID == "seven")
            #expect(call.traceParent.hasPrefix("00-0123456789abcdef0123456789abcdef-"))
            #expect(call.traceParent != trace)
            #expect(call.deadline != nil)
        }
    }

    @Test func aCallWithoutAnAccountIsRefused() async throws {
        try await withNotes { notes in
            let error = await #expect(throws: RPCError.self) { try await notes.call(NotesService.add, "milk") }
            #expect(error?.code == .unauthenticated)
        }
    }
}

private final class Count: Sendable {
    private let last = Atomic(0)

    func next() -> Int { last.add(1, ordering: .relaxed).newValue }
}

private typealias Client = GRPCClient<HTTP2ClientTransport.Posix>

extension Client {
    /// Sends messages, and collects the answers.
    fileprivate func texts<Input>(
        _ method: Method<Input, String>,
        _ metadata: Metadata,
        _ messages: [Input]
    ) async throws -> [String] {
        try await call(method, metadata) {
            try await $0.write(contentsOf: messages)
        } answer: { answers in
            try await answers.reduce(into: []) { $0.append($1) }
        }
    }

    /// Watches without end.
    fileprivate func watch(_ metadata: Metadata, _ note: @escaping @Sendable (String) -> Void) async throws {
        try await call(NotesService.watch, metadata) {
            try await $0.write(.max)
        } answer: { messages in
            for try await message in messages { note(message) }
        }
    }
}

extension AsyncStream {
    fileprivate func first(_ count: Int) async -> [Element] { await prefix(count).reduce(into: []) { $0.append($1) } }
}

/// Runs both services on loopback, the first one in a child of the test's scope, and gives what calls it.
private func withNotes(_ body: (Client) async throws -> Void) async throws {
    // As the program does, in the scope that has its role.
    try await EnvironmentScope.current.prepare(\.board)
    let audit = EnvironmentScope("audit", parent: nil) { $0.accounts = ["token-notes": "Notes"] }
    let notes = EnvironmentScope.empty("notes")
    try await withClient(of: AuditService(), in: audit) { client in
        notes.audit = .live(client)
        try await withClient(of: NotesService(), in: notes, body)
    }
    await notes.close()
    await audit.close()
}

/// Runs the first service until `body` says stop, in a child of the test's scope.
@discardableResult
private func stop<R: Sendable>(
    endingWithin limit: Duration,
    _ body: @Sendable (_ notes: Client, _ stop: @escaping @Sendable () -> Void) async throws -> R
) async throws -> R {
    let (stops, mayStop) = AsyncStream<Void>.makeStream()
    let notes = EnvironmentScope.empty("notes")
    let server = GRPCServer(
        transport: .http2NIOPosix(address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext),
        services: [NotesService()],
        interceptors: [RequestScopes(of: notes)]
    )
    async let serving: Void = server.serve(until: { for await _ in stops { return } }, endingWithin: limit)
    let port = try #require(try await server.transport.listeningAddress.ipv4?.port)
    let result = try await withGRPCClient(
        transport: .http2NIOPosix(target: .ipv4(address: "127.0.0.1", port: port), transportSecurity: .plaintext)
    ) { client in
        try await body(client) { mayStop.yield() }
    }
    try await serving
    await notes.close()
    return result
}

private func withClient(
    of service: any RegistrableRPCService,
    in scope: EnvironmentScope,
    _ body: (Client) async throws -> Void
) async throws {
    try await withGRPCServer(
        transport: .http2NIOPosix(address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext),
        services: [service],
        interceptors: [RequestScopes(of: scope)]
    ) { server in
        let port = try #require(try await server.transport.listeningAddress.ipv4?.port)
        try await withGRPCClient(
            transport: .http2NIOPosix(
                target: .ipv4(address: "127.0.0.1", port: port),
                transportSecurity: .plaintext
            ),
            interceptors: [CallsOfRequests()],
            handleClient: body
        )
    }
}
