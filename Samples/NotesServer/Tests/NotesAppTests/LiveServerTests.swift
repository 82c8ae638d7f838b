import HTTPTypes
import HummingbirdTesting
import NIOCore
import NotesApp
import Testing

/// The same as elsewhere, over connections.
@Suite struct LiveServerTests {
    @Test(arguments: [TestingSetup.live, .ahc()])
    func aNoteLivesAndDies(setup: TestingSetup) async throws {
        try await withServer(setup) { client in
            let created = try await client.create("milk", as: .alice, requestID: "call-1")
            #expect(created.status == 201)
            #expect(created.requestID == "call-1")
            #expect(try await client.list(as: .alice).map(\.text) == ["milk"])
            #expect(try await client.send(.get, "/notes/1", as: .alice).status == 200)
            #expect(try await client.send(.delete, "/notes/1", as: .alice).status == 204)
            #expect(try await client.list(as: .alice).isEmpty)
            #expect(try await client.send(.get, "/health").status == 200)
        }
    }

    @Test func anErrorIsAnsweredToHEADWithoutABody() async throws {
        try await withServer(.ahc()) { client in
            let answer = try await client.send(.head, "/nothing")
            #expect(answer.status == 404)
            #expect(answer.body.isEmpty)
            #expect(try await client.send(.get, "/health").status == 200)
        }
    }

    @Test func badRequestsAreAnsweredAndTheConnectionGoesOn() async throws {
        try await withServer(.live) { client in
            try expectRefusal(
                try await client.send(.post, "/notes", as: .alice, body: ByteBuffer(string: "{")),
                status: 400
            )
            try expectRefusal(try await client.send(.get, "/notes"), status: 401)
            try expectRefusal(try await client.send(.get, "/notes/abc", as: .alice), status: 400)
            try expectRefusal(try await client.send(.get, "/notes/7", as: .alice), status: 404)
            try expectRefusal(try await client.send(.get, "/nothing", as: .alice), status: 404)
            try expectRefusal(try await client.create(" ", as: .alice), status: 422)
            for size in [64 * 1024 + 1, 1024 * 1024] {
                let answer = try await client.send(.post, "/notes", as: .alice, body: noteBody(ofSize: size))
                try expectRefusal(answer, status: 413)
            }
            #expect(try await client.create("milk", as: .alice).status == 201)
            #expect(try await client.list(as: .alice).map(\.text) == ["milk"])
        }
    }
}
