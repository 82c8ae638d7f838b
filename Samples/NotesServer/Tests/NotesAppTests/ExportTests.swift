import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import InMemoryLogging
import Logging
import NIOCore
import NotesApp
import ScopedInjection
import Synchronization
import Testing

/// What is streamed is written after the handler has returned, and still belongs to its request.
@Suite struct ExportTests {
    @Test(arguments: [TestingSetup.router, .ahc()])
    func theExportHasALineForEachNoteOfTheUser(setup: TestingSetup) async throws {
        // More than a page of the database.
        let texts = (1...250).map { "note \($0)" }
        try await withServer(setup) { client in
            for start in stride(from: 0, to: texts.count, by: 50) {
                _ = try await client.createBatch(Array(texts[start..<start + 50]), as: .alice)
            }
            _ = try await client.create("bob's", as: .bob)
            let answer = try await client.send(.get, "/notes/export", as: .alice, requestID: "export-1")
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "application/jsonl")
            #expect(answer.requestID == "export-1")
            let notes = try answer.lines(of: Note.self)
            #expect(notes.map(\.text) == texts)
            #expect(notes.allSatisfy { $0.user == "alice" })
            // The fields are in one order, that of all other answers.
            let one = try await client.send(.get, "/notes/\(notes[0].id)", as: .alice)
            #expect(answer.body.hasPrefix(one.body + "\n"))
            #expect(try await client.send(.get, "/notes/export", as: .southernAlice).body == "")
            try expectRefusal(try await client.send(.get, "/notes/export"), status: 401)
        }
    }

    @Test func theScopeLivesUntilTheLastByteWithItsUserItsTransactionAndItsLog() async throws {
        let log = InMemoryLogHandler()
        let events = Mutex<[String]>([])
        let note = { @Sendable (event: String) in events.withLock { $0.append(event) } }
        try await withServer(
            .ahc(),
            configure: { $0.logger = .inMemory(log) },
            addRoutes: { router in
                router.get("stream") { _, _ in
                    let scope = EnvironmentScope.current
                    scope.onClose { note("closed") }
                    return Response(
                        status: .ok,
                        body: ResponseBody { writer in
                            note("body of \(EnvironmentScope.current.user.name)")
                            #expect(EnvironmentScope.current === scope && !scope.isClosed)
                            let written = try await scope.noteStore.createNote(NoteText("streamed"), for: scope.user)
                            try await writer.write(ByteBuffer(string: written.text))
                            try await scope.transaction.commit()
                            scope.logger.info("written")
                            try await writer.finish(nil)
                        }
                    )
                }
            },
            test: { client in
                let answer = try await client.send(.get, "/stream", as: .alice, requestID: "stream-1")
                #expect(answer.body == "streamed")
                #expect(try await client.list(as: .alice).map(\.text) == ["streamed"])
            }
        )
        #expect(events.withLock { $0 } == ["body of alice", "closed"])
        let written = log.entries.first { $0.message == "written" }
        #expect(written?.metadata["request-id"]?.description == "stream-1")
    }

    @Test func aBodyThatNobodyWritesLeavesNoScopeOpen() async throws {
        let isClosed = Gate()
        let scope = EnvironmentScope.empty("request", parent: nil)
        scope.onClose { isClosed.open() }
        // As if the client had gone before the head was written.
        _ = ResponseBody { try await $0.finish(nil) }.written(in: scope)
        try await isClosed.wait()
        #expect(scope.isClosed)
    }

    @Test func aStreamWhoseClientHasGoneIsClosed() async throws {
        let hasBegun = Gate()
        let isClosed = Gate()
        try await withServer(
            .ahc(),
            addRoutes: { router in
                router.get("stream") { _, _ in
                    let scope = EnvironmentScope.current
                    scope.onClose { isClosed.open() }
                    return Response(
                        status: .ok,
                        body: ResponseBody { writer in
                            let piece = ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 16)
                            // More than any buffer takes: it ends because the client goes away.
                            while true {
                                try await writer.write(piece)
                                hasBegun.open()
                            }
                        }
                    )
                }
            },
            test: { client in
                let request = Task { try await client.send(.get, "/stream", as: .alice) }
                try await hasBegun.wait()
                request.cancel()
                try await isClosed.wait()
                _ = await request.result
            }
        )
    }

    @Test func whenAllIsAnsweredNoRequestIsOpenButTheOneThatAsks() async throws {
        let scope = makeTestScope()
        try await withServer(.ahc(), in: scope) { client in
            _ = try await client.create("milk", as: .alice)
            _ = try await client.send(.get, "/notes/export", as: .alice)
            _ = try await client.send(.head, "/notes/export", as: .alice)
            _ = try await client.send(.get, "/nothing", as: .alice)
            try await scope.openRequests.none()
            #expect(try await client.send(.get, "/health").decoded(as: [String: String].self)["openRequests"] == "1")
        }
    }
}

extension OpenRequests {
    /// Waits until none is open: a scope is closed after the last byte, which the client may have read already.
    fileprivate func none() async throws {
        while count > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }
}

extension Answer {
    /// The values of a body with one line of JSON for each.
    fileprivate func lines<Value: Decodable>(of type: Value.Type) throws -> [Value] {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try body.split(separator: "\n").map { try decoder.decode(type, from: Data($0.utf8)) }
    }
}
