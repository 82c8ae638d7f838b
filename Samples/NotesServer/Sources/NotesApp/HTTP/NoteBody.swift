import Hummingbird

/// The body of a request that creates a note.
struct NoteBody: Decodable {
    let text: String
}

/// The body of a request that creates several notes, or none of them.
struct NoteBatchBody: Decodable {
    let texts: [String]
}

extension NoteText {
    /// - Throws: an error answered with 422 where the text cannot become a note
    static func valid(_ text: String) throws -> NoteText {
        do {
            return try NoteText(text)
        } catch {
            throw HTTPError(.unprocessableContent, message: error.rawValue)
        }
    }
}
