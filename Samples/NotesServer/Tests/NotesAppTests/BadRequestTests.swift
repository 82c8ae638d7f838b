import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NotesApp
import Testing

@Suite struct BadRequestTests {
    @Test(arguments: [
        "", "{", "milk", "[]", "{}", "null", "\"milk\"", #"{"text": 5}"#, #"{"text": null}"#, #"{"text": ["milk"]}"#,
        #"{"txet": "milk"}"#, #"{"text": "\ud800"}"#, String(repeating: "[", count: 10_000),
    ])
    func aBodyThatIsNoNoteIsRefused(body: String) async throws {
        try await withServer { client in
            let answer = try await client.send(.post, "/notes", as: .alice, body: ByteBuffer(string: body))
            try expectRefusal(answer, status: 400)
            #expect(try await client.list(as: .alice).isEmpty)
        }
    }

    @Test func aBodyThatIsNoTextIsRefused() async throws {
        try await withServer { client in
            let body = ByteBuffer(bytes: Array(#"{"text": ""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8))
            try expectRefusal(try await client.send(.post, "/notes", as: .alice, body: body), status: 400)
        }
    }

    @Test(arguments: ["", " ", "\n\t ", "\u{3000}", "\0", "milk\0and more"])
    func aTextThatCannotBeKeptIsRefused(text: String) async throws {
        try await withServer { client in
            try expectRefusal(try await client.create(text, as: .alice), status: 422)
            #expect(try await client.list(as: .alice).isEmpty)
        }
    }

    @Test(arguments: ["abc", "1.5", "1x", "0x1", "%20", "99999999999999999999", "null"])
    func anIDThatIsNoNumberIsRefused(id: String) async throws {
        try await withServer { client in
            try expectRefusal(try await client.send(.get, "/notes/\(id)", as: .alice), status: 400)
            try expectRefusal(try await client.send(.delete, "/notes/\(id)", as: .alice), status: 400)
        }
    }

    @Test(arguments: ["7", "0", "-1", "9223372036854775807"])
    func anUnknownNoteIsNotFound(id: String) async throws {
        try await withServer { client in
            try expectRefusal(try await client.send(.get, "/notes/\(id)", as: .alice), status: 404)
            try expectRefusal(try await client.send(.delete, "/notes/\(id)", as: .alice), status: 404)
        }
    }

    @Test(arguments: ["GET /", "GET /nothing", "PUT /notes", "POST /notes/1", "GET /notes/1/2", "POST /health"])
    func anUnknownRouteIsNotFound(route: String) async throws {
        try await withServer { client in
            let words = route.split(separator: " ")
            let method = try #require(HTTPRequest.Method(String(words[0])))
            try expectRefusal(try await client.send(method, String(words[1]), as: .alice), status: 404)
        }
    }

    @Test func aBodyMayHave64KiB() async throws {
        try await withServer { client in
            let answer = try await client.send(.post, "/notes", as: .alice, body: noteBody(ofSize: 64 * 1024))
            #expect(answer.status == 201)
        }
    }

    @Test(arguments: [64 * 1024 + 1, 1024 * 1024])
    func aBodyMustNotHaveMore(size: Int) async throws {
        try await withServer { client in
            let answer = try await client.send(.post, "/notes", as: .alice, body: noteBody(ofSize: size))
            try expectRefusal(answer, status: 413)
            #expect(try await client.list(as: .alice).isEmpty)
        }
    }
}

/// Expects an error with a reason in JSON and the id of the request.
func expectRefusal(_ answer: Answer, status: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(answer.status == status, sourceLocation: sourceLocation)
    #expect(try !answer.reason().isEmpty, sourceLocation: sourceLocation)
    #expect(answer.headers[.contentType] == "application/json; charset=utf-8", sourceLocation: sourceLocation)
    #expect(answer.requestID != nil, sourceLocation: sourceLocation)
}

/// A body that is a valid note and has exactly so many bytes.
func noteBody(ofSize size: Int) -> ByteBuffer {
    let frame = #"{"text":""}"#.utf8.count
    return ByteBuffer(string: #"{"text":""# + String(repeating: "a", count: size - frame) + #""}"#)
}
