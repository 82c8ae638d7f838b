import Crypto
import Foundation
import HTTPTypes

// What crosses between the server and others, written down a second time: a check that shared the server's own types
// would not notice when they change.

/// A note, as the server answers it.
struct AnsweredNote: Decodable, Sendable {
    let id: Int64
    let user: String
    let text: String
    let createdAt: Date
}

/// What the server tells another service of a new note.
struct Announcement: Decodable, Sendable {
    let note: Int64
    let user: String
    let tenant: String
}

extension HTTPField.Name {
    // A constant that is a valid name.
    // swift-format-ignore: NeverForceUnwrap
    static let requestID = Self("X-Request-ID")!
}

/// The SHA-256 of a token, as a file of accounts has it.
func tokenDigest(_ token: String) -> String {
    SHA256.hash(data: Array(token.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
