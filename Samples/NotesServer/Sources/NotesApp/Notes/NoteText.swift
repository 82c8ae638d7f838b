/// The text of a note to be: not blank, and something SQLite stores as it is.
package struct NoteText: Sendable {
    let value: String

    /// - Throws: ``Refusal`` for a text that cannot become a note
    package init(_ text: String) throws(Refusal) {
        guard !text.allSatisfy(\.isWhitespace) else { throw .blank }
        // SQLite's texts end at a NUL: what follows it would be lost.
        guard !text.unicodeScalars.contains("\0") else { throw .containsNUL }
        value = text
    }

    /// Why a text cannot become a note.
    package enum Refusal: String, Error {
        case blank = "The text of a note must not be empty."
        case containsNUL = "The text of a note must not contain NUL characters."
    }
}
