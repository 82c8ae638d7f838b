import Foundation
import GRDB
import HTTPTypes
import NotesApp
import ScopedInjection
import Testing

@Suite struct DatabaseTests {
    @Test func notesOutliveTheServer() async throws {
        try await withTemporaryDirectory { directory in
            let path = directory.appending(path: "notes.db").path
            try await withServer(configure: { $0.databasePath = path }) { client in
                let answer = try await client.create("milk", user: "alice")
                #expect(answer.status == 201)
            }
            try await withServer(configure: { $0.databasePath = path }) { client in
                let notes = try await client.list(user: "alice")
                #expect(notes.map(\.text) == ["milk"])
            }
        }
    }

    @Test func aDatabaseThatCannotBeOpenedIsFoundOutAtTheStart() async throws {
        try await withTemporaryDirectory { directory in
            let missing = directory.appending(path: "missing/notes.db").path
            let text = directory.appending(path: "notes.txt").path
            try Data(String(repeating: "This is not a database. ", count: 100).utf8).write(to: URL(filePath: text))
            for path in [missing, text, directory.path, ""] {
                let error = #expect(throws: ScopeError.self) {
                    _ = try makeNotesApplication(in: EnvironmentScope("test", parent: nil) { $0.databasePath = path })
                }
                #expect(error?.description.contains("Cannot open the database at '\(path)'") == true)
            }
        }
    }

    @Test func aScopeWithoutAPathIsFoundOutAtTheStart() {
        #expect(throws: ScopeError.self) {
            _ = try makeNotesApplication(in: EnvironmentScope("test", parent: nil) { _ in })
        }
    }

    @Test func aFailureInsideIsAnsweredWithoutItsDetails() async throws {
        let withoutTables = try DatabaseQueue()
        try await withServer(configure: { $0.database = withoutTables }) { client in
            for answer in [try await client.send(.get, "/health"), try await client.create("milk", user: "alice")] {
                try expectRefusal(answer, status: 500)
                let requestID = try #require(answer.requestID)
                #expect(try answer.reason() == "The server failed to answer request \(requestID).")
            }
        }
    }

    @Test func oneDatabaseServesAllScopesThatSeeItsPath() async throws {
        let application = EnvironmentScope("test", parent: nil) { $0.databasePath = ":memory:" }
        let first = await application.withChild("request") { EnvironmentScope.current.database }
        let second = await application.withChild("request") { EnvironmentScope.current.database }
        #expect(first === second)
        #expect(first === application.database)

        let other = await application.withChild("request") {
            $0.databasePath = ":memory:"
        } operation: {
            EnvironmentScope.current.database
        }
        #expect(first !== other)
        await application.close()
    }

    @Test func theDatabaseIsClosedWithTheScopeThatKeepsIt() async throws {
        let application = EnvironmentScope("test", parent: nil) { $0.databasePath = ":memory:" }
        let database = application.database
        await application.withChild("request") { _ = EnvironmentScope.current.noteStore }
        let ping: @Sendable (Database) throws -> Void = { try $0.execute(sql: "SELECT 1") }
        try await database.writeWithoutTransaction(ping)
        await application.close()
        await #expect(throws: DatabaseError.self) { try await database.writeWithoutTransaction(ping) }
    }
}
