import Foundation
import HTTPTypes
import NotesApp
import ScopedInjection
import Testing

@Suite struct NoteRoutesTests {
    @Test func aNoteIsCreated() async throws {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        try await withServer(configure: { $0.clock = { now } }) { client in
            let answer = try await client.create("milk", as: .alice)
            #expect(answer.status == 201)
            #expect(answer.headers[.location] == "/notes/1")
            #expect(answer.headers[.contentType] == "application/json; charset=utf-8")
            let note = try answer.decoded(as: Note.self)
            #expect(note.id == 1)
            #expect(note.user == "alice")
            #expect(note.text == "milk")
            #expect(note.createdAt == now)
        }
    }

    @Test func aNoteIsShownAsItWasCreated() async throws {
        try await withServer { client in
            let created = try await client.create("milk", as: .alice)
            let shown = try await client.send(.get, "/notes/1", as: .alice)
            #expect(shown.status == 200)
            #expect(try shown.decoded(as: Note.self) == created.decoded(as: Note.self))
        }
    }

    @Test func notesAreListedOldestFirst() async throws {
        try await withServer { client in
            #expect(try await client.list(as: .alice).isEmpty)
            for text in ["one", "two", "three"] {
                _ = try await client.create(text, as: .alice)
            }
            #expect(try await client.list(as: .alice).map(\.text) == ["one", "two", "three"])
        }
    }

    @Test func aNoteIsDeletedOnce() async throws {
        try await withServer { client in
            _ = try await client.create("milk", as: .alice)
            let deleted = try await client.send(.delete, "/notes/1", as: .alice)
            #expect(deleted.status == 204)
            #expect(deleted.body.isEmpty)
            #expect(try await client.send(.get, "/notes/1", as: .alice).status == 404)
            #expect(try await client.send(.delete, "/notes/1", as: .alice).status == 404)
            #expect(try await client.list(as: .alice).isEmpty)
        }
    }

    @Test func theIDOfADeletedNoteIsNotUsedAgain() async throws {
        try await withServer { client in
            _ = try await client.create("first", as: .alice)
            _ = try await client.send(.delete, "/notes/1", as: .alice)
            let second = try await client.create("second", as: .alice).decoded(as: Note.self)
            #expect(second.id == 2)
        }
    }

    @Test(arguments: [
        "žluťoučký kůň", "👩‍👩‍👧‍👦 \u{1F9C0}", "'); DROP TABLE note; --", "two\nlines\t\"quoted\" \\", " padded ",
    ])
    func anyTextIsKeptAsItIs(text: String) async throws {
        try await withServer { client in
            let created = try await client.create(text, as: .alice).decoded(as: Note.self)
            #expect(created.text == text)
            #expect(try await client.list(as: .alice).map(\.text) == [text])
        }
    }

    @Test func healthNeedsNoUser() async throws {
        try await withServer { client in
            let answer = try await client.send(.get, "/health")
            #expect(answer.status == 200)
            let health: [String: String] = try answer.decoded()
            #expect(health["status"] == "ok")
            #expect(health["openRequests"] == "1")
            #expect(health["databaseOpenings"].flatMap(Int.init) != nil)
            #expect(try await client.send(.head, "/health").status == 200)
        }
    }
}
