import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import NotesApp

/// What a server under test answered.
struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let body: String

    init(_ response: TestResponse) {
        status = response.status.code
        headers = response.headers
        body = String(buffer: response.body)
    }

    /// The id that the server answered under.
    var requestID: String? { headers[.requestID] }

    /// The body as a value.
    func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(Value.self, from: Data(body.utf8))
    }

    /// The reason that an error gives; throws where the body is not the JSON of an error.
    func reason() throws -> String {
        try decoded(as: ErrorBody.self).error.message
    }

    private struct ErrorBody: Decodable {
        struct Reason: Decodable { let message: String }
        let error: Reason
    }
}
