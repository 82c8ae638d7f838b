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
            _ = try await client.create("alice's", as: .alice)
            _ = try await client.create("bob's", as: .bob)

            #expect(try await client.list(as: .alice).map(\.text) == ["alice's"])
            #expect(try await client.list(as: .bob).map(\.text) == ["bob's"])
            #expect(try await client.list(as: .southernAlice).isEmpty)
            try expectRefusal(try await client.send(.get, "/notes/1", as: .bob), status: 404)
            try expectRefusal(try await client.send(.delete, "/notes/1", as: .bob), status: 404)
            #expect(try await client.send(.get, "/notes/1", as: .alice).status == 200)
        }
    }

    @Test func somebodyElsesNoteIsAnsweredLikeNone() async throws {
        try await withServer { client in
            _ = try await client.create("alice's", as: .alice)
            let others = try await client.send(.get, "/notes/1", as: .bob).reason()
            let none = try await client.send(.get, "/notes/2", as: .bob).reason()
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
                            let note = try await client.create(text, as: .alice).decoded(as: Note.self)
                            #expect(note.id == Int64(id))
                        }
                        #expect(try await client.list(as: .alice).map(\.text) == texts)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// 200 requests at once by 20 users of two tenants: each answer, each note and each line of the log belongs to one request.
    @Test(arguments: [TestingSetup.router, .ahc()])
    func concurrentRequestsNeverMix(setup: TestingSetup) async throws {
        let requestsPerUser = 10
        let log = InMemoryLogHandler()
        try await withServer(setup, configure: { $0.logger = .inMemory(log) }) { client in
            try await withThrowingTaskGroup { group in
                for (user, number) in TestUser.many.flatMap({ user in (0..<requestsPerUser).map { (user, $0) } }) {
                    let requestID = "\(user.tenant)-\(user.name)-\(number)"
                    group.addTask {
                        let answer = try await client.create("text of \(requestID)", as: user, requestID: requestID)
                        #expect(answer.status == 201)
                        #expect(answer.requestID == requestID)
                        #expect(answer.headers[.user] == user.name)
                        #expect(answer.headers[.tenant] == user.tenant)
                        let note = try answer.decoded(as: Note.self)
                        #expect(note.user == user.name)
                        #expect(note.text == "text of \(requestID)")
                    }
                }
                try await group.waitForAll()
            }
            for user in TestUser.many {
                let notes = try await client.list(as: user)
                #expect(notes.count == requestsPerUser)
                #expect(
                    notes.allSatisfy {
                        $0.user == user.name && $0.text.hasPrefix("text of \(user.tenant)-\(user.name)-")
                    }
                )
            }
        }

        let answered = log.entries.filter { $0.message == "POST /notes" }
        let ids = answered.compactMap { $0.metadata["request-id"]?.description }
        #expect(Set(ids).count == TestUser.many.count * requestsPerUser)
        for entry in answered {
            let user = try #require(entry.metadata["user"]?.description)
            let tenant = try #require(entry.metadata["tenant"]?.description)
            let requestID = try #require(entry.metadata["request-id"]?.description)
            #expect(requestID.hasPrefix("\(tenant)-\(user)-"))
        }
    }
}
