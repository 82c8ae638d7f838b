import HTTPTypes
import HummingbirdTesting
import InMemoryLogging
import Logging
import NotesApp
import ScopedInjection
import Testing

@Suite struct IsolationTests {
    @Test func usersSeeOnlyTheirOwnNotes() async throws {
        try await withServer { client in
            _ = try await client.create("alice's", user: "alice")
            _ = try await client.create("bob's", user: "bob")

            #expect(try await client.list(user: "alice").map(\.text) == ["alice's"])
            #expect(try await client.list(user: "bob").map(\.text) == ["bob's"])
            #expect(try await client.list(user: "Alice").isEmpty)
            try expectRefusal(try await client.send(.get, "/notes/1", user: "bob"), status: 404)
            try expectRefusal(try await client.send(.delete, "/notes/1", user: "bob"), status: 404)
            #expect(try await client.send(.get, "/notes/1", user: "alice").status == 200)
        }
    }

    @Test func somebodyElsesNoteIsAnsweredLikeNone() async throws {
        try await withServer { client in
            _ = try await client.create("alice's", user: "alice")
            let others = try await client.send(.get, "/notes/1", user: "bob").reason()
            let none = try await client.send(.get, "/notes/2", user: "bob").reason()
            #expect(others.replacing("1", with: "2") == none)
        }
    }

    /// Two servers at once in one process: each sees its own database, whatever the other does.
    @Test func serversInScopesOfTheirOwnShareNothing() async throws {
        try await withThrowingTaskGroup { group in
            for name in ["red", "blue"] {
                group.addTask {
                    try await withServer { client in
                        let texts = (1...50).map { "\(name) \($0)" }
                        for (text, id) in zip(texts, 1...) {
                            let note = try await client.create(text, user: "alice").decoded(as: Note.self)
                            #expect(note.id == Int64(id))
                        }
                        #expect(try await client.list(user: "alice").map(\.text) == texts)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// 200 requests at once by 20 users: each answer, each note and each line of the log belongs to one request.
    @Test(arguments: [TestingSetup.router, .ahc()])
    func concurrentRequestsNeverMix(setup: TestingSetup) async throws {
        let users = 20
        let requestsPerUser = 10
        let log = InMemoryLogHandler()
        try await withServer(setup, configure: { $0.logger = Logger(label: "test") { _ in log } }) { client in
            try await withThrowingTaskGroup { group in
                for number in 0..<users * requestsPerUser {
                    let user = "user\(number % users)"
                    let requestID = "\(user)-\(number)"
                    group.addTask {
                        let answer = try await client.create("text of \(requestID)", user: user, requestID: requestID)
                        #expect(answer.status == 201)
                        #expect(answer.requestID == requestID)
                        let note = try answer.decoded(as: Note.self)
                        #expect(note.user == user)
                        #expect(note.text == "text of \(requestID)")
                    }
                }
                try await group.waitForAll()
            }
            for user in (0..<users).map({ "user\($0)" }) {
                let notes = try await client.list(user: user)
                #expect(notes.count == requestsPerUser)
                #expect(notes.allSatisfy { $0.user == user && $0.text.hasPrefix("text of \(user)-") })
            }
        }

        let created = log.entries.filter { $0.message == "note created" }
        #expect(Set(created.compactMap { $0.metadata["request-id"]?.description }).count == users * requestsPerUser)
        for entry in created {
            let user = try #require(entry.metadata["user"]?.description)
            let requestID = try #require(entry.metadata["request-id"]?.description)
            #expect(requestID.hasPrefix("\(user)-"))
        }
    }
}
