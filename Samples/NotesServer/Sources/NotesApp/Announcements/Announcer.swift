/// Tells whoever wants to know of new notes.
package protocol Announcer: Sendable {
    /// Announces a note.
    ///
    /// - Throws: an error where nobody took note
    func announce(_ note: Note) async throws
}

/// Tells nobody.
struct SilentAnnouncer: Announcer {
    func announce(_ note: Note) async throws {}
}
