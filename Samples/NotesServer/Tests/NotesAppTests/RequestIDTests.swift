import HTTPTypes
import NotesApp
import Testing

@Suite struct RequestIDTests {
    @Test func theCallersIDIsUsed() async throws {
        try await withServer { client in
            let answer = try await client.send(.get, "/health", requestID: "call-1")
            #expect(answer.requestID == "call-1")
        }
    }

    @Test(arguments: [nil, "", "two words", "a,b", String(repeating: "a", count: 65)])
    func aRequestWithoutAUsableIDIsGivenOne(requestID: String?) async throws {
        try await withServer { client in
            let first = try #require(try await client.send(.get, "/health", requestID: requestID).requestID)
            let second = try #require(try await client.send(.get, "/health", requestID: requestID).requestID)
            #expect(first != requestID)
            #expect(first != second)
        }
    }
}
