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
        user: String? = nil,
        requestID: String? = nil,
        body: ByteBuffer? = nil
    ) async throws -> Answer {
        var headers = HTTPFields()
        headers[.user] = user
        headers[.requestID] = requestID
        return Answer(try await http.executeRequest(uri: path, method: method, headers: headers, body: body))
    }

    /// Asks for a note to be created.
    func create(_ text: String, user: String, requestID: String? = nil) async throws -> Answer {
        let body = try JSONEncoder().encode(["text": text])
        return try await send(.post, "/notes", user: user, requestID: requestID, body: ByteBuffer(bytes: body))
    }

    /// Lists a user's notes.
    func list(user: String) async throws -> [Note] {
        try await send(.get, "/notes", user: user).decoded()
    }
}
