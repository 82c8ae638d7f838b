import Hummingbird

/// The body of a request that creates a note.
struct NoteBody: Decodable {
    let text: String

    /// - Throws: an error answered with 422 where the text cannot become a note
    func validText() throws -> NoteText {
        do {
            return try NoteText(text)
        } catch {
            throw HTTPError(.unprocessableContent, message: error.rawValue)
        }
    }
}
