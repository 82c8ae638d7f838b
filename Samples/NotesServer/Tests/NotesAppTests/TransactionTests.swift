import Foundation
import GRDB
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

@Suite struct TransactionTests {
    @Test func aHandlerThatThrowsLeavesNothing() async throws {
        try await withServer(.ahc()) { client in
            try expectRefusal(try await client.createBatch(["one", "two", " "], as: .alice), status: 422)
            #expect(try await client.list(as: .alice).isEmpty)
            #expect(try await client.createBatch(["one", "two"], as: .alice).status == 201)
            #expect(try await client.list(as: .alice).map(\.text) == ["one", "two"])
        }
    }

    @Test func whatIsRolledBackIsNotLoggedAsDone() async throws {
        let log = InMemoryLogHandler()
        try await withServer(.ahc(), configure: { $0.logger = .inMemory(log) }) { client in
            _ = try await client.createBatch(["one", " "], as: .alice)
            #expect(!log.entries.contains { $0.message == "note created" })
            _ = try await client.createBatch(["one", "two"], as: .alice)
            #expect(log.entries.count { $0.message == "note created" } == 2)
        }
    }

    @Test func aRequestSeesWhatItHasWrittenItself() async throws {
        let handler: ProbeHandler = { _, _ in
            let scope = EnvironmentScope.current
            _ = try await scope.noteStore.createNote(NoteText("mine"), for: scope.user)
            return try await scope.noteStore.notes(of: scope.user).map(\.text).joined()
        }
        try await withServer(.ahc(), probe: handler) { client async throws in
            #expect(try await client.send(.post, "/probe", as: .alice).body == "mine")
        }
    }

    @Test func aScopeNestedInARequestSharesItsTransaction() async throws {
        let handler: ProbeHandler = { _, _ in
            let scope = EnvironmentScope.current
            _ = try await scope.noteStore.createNote(NoteText("outer"), for: scope.user)
            let isShared = try await scope.withChild("nested") {
                $0.logger[metadataKey: "nested"] = "yes"
            } operation: {
                let nested = EnvironmentScope.current
                _ = try await nested.noteStore.createNote(NoteText("inner"), for: nested.user)
                return nested.transaction === scope.transaction
            }
            return "\(isShared)"
        }
        try await withServer(.ahc(), probe: handler) { client async throws in
            #expect(try await client.send(.post, "/probe", as: .alice).body == "true")
            #expect(try await client.list(as: .alice).map(\.text) == ["outer", "inner"])
        }
    }

    @Test func aRequestThatTakesTooLongLeavesNothing() async throws {
        let handler = hangingHandler(afterWriting: Gate())
        let scope = makeTestScope { $0.requestTimeout = .milliseconds(200) }
        try await makeNotesApplication(in: scope, addRoutes: { $0.post("probe", use: handler) }).test(.ahc()) { http in
            let answer = try await NotesClient(http: http).send(.post, "/probe", as: .alice)
            try expectRefusal(answer, status: 503)
            #expect(try answer.reason() == "The request took too long, or the server is stopping.")
        }
        // The next one is not kept waiting. It has time, so that a slow machine does not make it fail.
        scope.requestTimeout = .seconds(600)
        scope.backgroundWork = BackgroundWork()
        try await withServer(.ahc(), in: scope) { client async throws in
            #expect(try await client.create("after", as: .alice).status == 201)
            #expect(try await client.list(as: .alice).map(\.text) == ["after"])
        }
    }

    @Test func aRequestWhoseClientIsGoneLeavesNothing() async throws {
        let hasWritten = Gate()
        let isClosed = Gate()
        let handler = hangingHandler(afterWriting: hasWritten, closed: isClosed)
        try await withServer(.ahc(), probe: handler) { client in
            let request = Task { try await client.send(.post, "/probe", as: .alice) }
            try await hasWritten.wait()
            request.cancel()
            try await isClosed.wait()
            await #expect(throws: (any Error).self) { try await request.value }
            #expect(try await client.create("after", as: .alice).status == 201)
            #expect(try await client.list(as: .alice).map(\.text) == ["after"])
        }
    }

    /// A handler that has heard of the cancellation and goes on all the same.
    @Test func aHandlerThatIgnoresItsCancellationIsNotCommitted() async throws {
        let handler: ProbeHandler = { _, _ in
            let scope = EnvironmentScope.current
            _ = try await scope.noteStore.createNote(NoteText("too late"), for: scope.user)
            withUnsafeCurrentTask { $0?.cancel() }
            return "done"
        }
        try await withServer(.ahc(), probe: handler) { client in
            try expectRefusal(try await client.send(.post, "/probe", as: .alice), status: 503)
            #expect(try await client.list(as: .alice).isEmpty)
        }
    }

    /// The database refuses at the last moment: what the handler has returned is not the answer.
    @Test func aCommitThatFailsIsNotAnsweredAsSuccess() async throws {
        let handler: ProbeHandler = { _, _ in
            let scope = EnvironmentScope.current
            _ = try await scope.noteStore.createNote(NoteText("refused"), for: scope.user)
            try await scope.transaction.write { database in
                try database.execute(
                    sql: """
                        CREATE TABLE child (parent INTEGER REFERENCES note (id) DEFERRABLE INITIALLY DEFERRED);
                        INSERT INTO child VALUES (99);
                        """
                )
            }
            return "done"
        }
        try await withServer(.ahc(), probe: handler) { client async throws in
            try expectRefusal(try await client.send(.post, "/probe", as: .alice), status: 500)
            #expect(try await client.create("after", as: .alice).status == 201)
            #expect(try await client.list(as: .alice).map(\.text) == ["after"])
        }
    }

    /// Whether the middleware commits, or already what is done once more, so that a conflict at the commit is met, too.
    @Test(arguments: [false, true])
    func whatFindsTheDatabaseHeldIsDoneOnceMoreInAnotherTransactionOfTheSameRequest(committing: Bool) async throws {
        let basket = Mutex<[Basket]>([])
        let handler: ProbeHandler = { _, _ in
            let scope = EnvironmentScope.current
            let count = try await scope.retrying {
                let count = basket.withLock { baskets in
                    baskets.append(scope.basket)
                    return baskets.count
                }
                _ = try await scope.noteStore.createNote(NoteText("try \(count)"), for: scope.user)
                if count == 1 { throw DatabaseError(resultCode: .SQLITE_BUSY) }
                if committing { try await scope.commitTransaction() }
                return count
            }
            return "\(count)"
        }
        try await withServer(.ahc(), probe: handler) { client async throws in
            #expect(try await client.send(.post, "/probe", as: .alice).body == "2")
            #expect(try await client.list(as: .alice).map(\.text) == ["try 2"])
        }
        #expect(basket.withLock { $0[0] === $0[1] })
    }

    /// Transactions of one tenant follow each other; none sees, or commits, what another has written.
    @Test func transactionsAtTheSameTimeDoNotMix() async throws {
        let handler: ProbeHandler = { request, _ in
            let scope = EnvironmentScope.current
            let name = request.headers[.requestID] ?? ""
            for _ in 0..<5 {
                _ = try await scope.noteStore.createNote(NoteText(name), for: scope.user)
                await Task.yield()
            }
            if name.hasSuffix("-fails") { throw HTTPError(.conflict) }
            return "done"
        }
        try await withServer(.ahc(), probe: handler) { client async throws in
            try await withThrowingTaskGroup { group in
                for number in 0..<40 {
                    let fails = number.isMultiple(of: 2)
                    let requestID = "\(number)-\(fails ? "fails" : "works")"
                    group.addTask {
                        let answer = try await client.send(.post, "/probe", as: .alice, requestID: requestID)
                        #expect(answer.status == (fails ? 409 : 200))
                    }
                }
                try await group.waitForAll()
            }
            let texts = try await client.list(as: .alice).map(\.text)
            #expect(texts.count == 100)
            for number in stride(from: 1, to: 40, by: 2) {
                #expect(texts.count { $0 == "\(number)-works" } == 5)
            }
        }
    }

    @Test func aRequestThatHasToWaitForTheDatabaseTooLongIsRefused() async throws {
        let database = try NotesDatabase.inMemory()
        let other = Transaction(on: database)
        try await other.write { _ in }
        let configure = { (scope: EnvironmentScope) in
            scope.database = database
            scope.requestTimeout = .milliseconds(200)
        }
        try await withServer(.ahc(), configure: configure) { client in
            try expectRefusal(try await client.create("late", as: .alice), status: 503)
        }
        await other.rollBack()
        try database.close()
    }

    @Test func nothingIsWrittenOnceTheRequestIsOver() async throws {
        let transaction = Mutex<Transaction?>(nil)
        let handler: ProbeHandler = { _, _ in
            transaction.withLock { $0 = EnvironmentScope.current.transaction }
            return "done"
        }
        try await withServer(.ahc(), probe: handler) { client in
            #expect(try await client.send(.post, "/probe", as: .alice).status == 200)
            let transaction = try #require(transaction.withLock { $0 })
            await #expect(throws: TransactionIsOver.self) { try await transaction.write { _ in } }
        }
    }

    /// In a file, so that there are readers beside the writer.
    @Test func aRequestThatReadsDoesNotWaitForOneThatWrites() async throws {
        try await withTemporaryDirectory { directory in
            let database = try NotesDatabase(path: directory.appending(path: "notes.db").path)
            let hasWritten = Gate()
            let mayEnd = Gate()
            let handler: ProbeHandler = { _, _ in
                let scope = EnvironmentScope.current
                _ = try await scope.noteStore.createNote(NoteText("slow"), for: scope.user)
                hasWritten.open()
                try await mayEnd.wait()
                return "done"
            }
            let configure = { (scope: EnvironmentScope) in scope.database = database }
            try await withServer(.ahc(), configure: configure, probe: handler) { client in
                async let slow = client.send(.post, "/probe", as: .alice)
                try await hasWritten.wait()
                #expect(try await client.list(as: .alice).isEmpty)
                mayEnd.open()
                #expect(try await slow.status == 200)
                #expect(try await client.list(as: .alice).map(\.text) == ["slow"])
            }
            try database.close()
        }
    }

    /// Writes a note and hangs until it is cancelled.
    private func hangingHandler(
        afterWriting hasWritten: Gate,
        closed isClosed: Gate? = nil
    ) -> ProbeHandler {
        { _, _ in
            let scope = EnvironmentScope.current
            // Registered first, so it runs after the transaction's own cleanup.
            scope.onClose { isClosed?.open() }
            _ = try await scope.noteStore.createNote(NoteText("before"), for: scope.user)
            hasWritten.open()
            try await Gate().wait()
            return "never"
        }
    }
}

/// What a request has begun beside its transaction.
private final class Basket: Sendable {}

extension ScopeValues {
    fileprivate static var basket: ScopeValue<Basket> { .lazy(.once(in: .request)) { _ in Basket() } }
}
