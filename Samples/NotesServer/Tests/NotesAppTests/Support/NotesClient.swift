import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import NotesApp

/// Speaks to a server under test in terms of notes.
struct NotesClient: Sendable {
    let http: any TestClientProtocol

    /// Sends a request; whatever is nil is left out of it.
    func send(
        _ method: HTTPRequest.Method,
        _ path: String,
        as user: TestUser? = nil,
        requestID: String? = nil,
        headers: HTTPFields = [:],
        body: ByteBuffer? = nil
    ) async throws -> Answer {
        var headers = headers
        if let user { headers[.authorization] = "Bearer \(user.token)" }
        if let requestID { headers[.requestID] = requestID }
        return Answer(try await http.executeRequest(uri: path, method: method, headers: headers, body: body))
    }

    /// Asks for a note to be created.
    func create(
        _ text: String,
        as user: TestUser,
        requestID: String? = nil,
        headers: HTTPFields = [:]
    ) async throws -> Answer {
        let body = ByteBuffer(bytes: try JSONEncoder().encode(["text": text]))
        return try await send(.post, "/notes", as: user, requestID: requestID, headers: headers, body: body)
    }

    /// Asks for several notes to be created.
    func createBatch(_ texts: [String], as user: TestUser) async throws -> Answer {
        let body = ByteBuffer(bytes: try JSONEncoder().encode(["texts": texts]))
        return try await send(.post, "/notes/batch", as: user, body: body)
    }

    /// Lists a user's notes.
    func list(as user: TestUser) async throws -> [Note] {
        try await send(.get, "/notes", as: user).decoded()
    }
}
