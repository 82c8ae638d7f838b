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
                    reader.onClose { database.close() }
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
            closed.close()
            for answer in [try await client.send(.get, "/health"), try await client.create("milk", as: .alice)] {
                try expectRefusal(answer, status: 500)
                let requestID = try #require(answer.requestID)
                #expect(try answer.reason() == "The server failed to answer request \(requestID).")
            }
        }
    }
}
