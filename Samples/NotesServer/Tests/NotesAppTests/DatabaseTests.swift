import Foundation
import GRDB
import HTTPTypes
import HummingbirdTesting
import NotesApp
import ScopedInjection
import Testing

@Suite struct DatabaseTests {
    @Test func notesOutliveTheServer() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.path
            let provide = { @Sendable (scope: EnvironmentScope) in
                scope.provide(\.database) { reader in
                    let database = try NotesDatabase(path: "\(path)/\(reader.tenant).db")
                    reader.onClose { try database.close() }
                    return database
                }
            }
            try await withServer(.ahc(), configure: provide) { client async throws in
                #expect(try await client.create("milk", as: .alice).status == 201)
                #expect(try await client.create("bread", as: .southernAlice).status == 201)
            }
            try await withServer(.ahc(), configure: provide) { client async throws in
                #expect(try await client.list(as: .alice).map(\.text) == ["milk"])
                #expect(try await client.list(as: .southernAlice).map(\.text) == ["bread"])
            }
        }
    }

    /// Whoever copies the file of a stopped server has all notes.
    @Test func theFileOfAClosedDatabaseIsAllOfIt() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "notes.db")
            let database = try NotesDatabase(path: file.path)
            try await withServer(.ahc(), configure: { $0.database = database }) { client async throws in
                _ = try await client.createBatch((1...50).map { "note \($0)" }, as: .alice)
                _ = try await client.list(as: .alice)
            }
            try database.close()
            let copy = directory.appending(path: "copy.db")
            try FileManager.default.copyItem(at: file, to: copy)
            let queue = try DatabaseQueue(path: copy.path)
            #expect(try await queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") } == 50)
            try queue.close()
            // The second time there is nothing to close.
            try database.close()
        }
    }

    @Test func aDatabaseThatCannotBeOpenedSaysWhy() async throws {
        try await withTemporaryDirectory { directory in
            let missing = directory.appending(path: "missing/notes.db").path
            let text = directory.appending(path: "notes.txt").path
            try Data(String(repeating: "This is not a database. ", count: 100).utf8).write(to: URL(filePath: text))
            for path in [missing, text, directory.path] {
                let error = #expect(throws: DatabaseOpeningError.self) { _ = try NotesDatabase(path: path) }
                #expect(error?.description.hasPrefix("The database '\(path)' cannot be opened: ") == true)
            }
        }
    }

    @Test func aFailureInsideIsAnsweredWithoutItsDetails() async throws {
        let closed = try NotesDatabase.inMemory()
        try await withServer(.ahc(), configure: { $0.database = closed }) { client in
            try closed.close()
            for answer in [try await client.send(.get, "/health"), try await client.create("milk", as: .alice)] {
                try expectRefusal(answer, status: 500)
                let requestID = try #require(answer.requestID)
                #expect(try answer.reason() == "The server failed to answer request \(requestID).")
            }
        }
    }
}
