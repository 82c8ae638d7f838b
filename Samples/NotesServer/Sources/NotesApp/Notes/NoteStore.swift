import Foundation
package import GRDB
import Logging
import ScopedInjection

/// Keeps the notes of all users; whatever it is asked, it is asked for one user and answers about that user's notes only.
///
/// One store serves all requests. Its `@Injected` properties nevertheless give the values of the request it is working
/// for, because they are resolved at each read. GRDB runs what is passed to `write` and `read` on a thread of its
/// own, where no scope is current, so they are read before.
package struct NoteStore: Sendable {
    private let database: any DatabaseWriter
    @Injected(\.clock) private var clock
    @Injected(\.logger) private var logger

    package init(database: any DatabaseWriter) {
        self.database = database
    }

    /// Creates a note, in one transaction.
    ///
    /// - Returns: the note as it was stored
    func createNote(_ text: NoteText, for user: User) async throws -> Note {
        let row = NewNote(user: user.name, text: text.value, createdAt: clock())
        let note = try await database.write { try row.insertAndFetch($0, as: Note.self) }
        logger.info("note created", metadata: ["note": "\(note.id)", "user": "\(user)"])
        return note
    }

    /// The notes of a user, oldest first.
    func notes(of user: User) async throws -> [Note] {
        try await database.read { try Note.owned(by: user).order(Note.Columns.id).fetchAll($0) }
    }

    /// One note of a user; nil where there is none of that id or it is somebody else's.
    func note(_ id: Int64, of user: User) async throws -> Note? {
        try await database.read { try Note.owned(by: user).filter(Note.Columns.id == id).fetchOne($0) }
    }

    /// Deletes one note of a user, in one transaction.
    ///
    /// - Returns: whether there was such a note
    func deleteNote(_ id: Int64, of user: User) async throws -> Bool {
        let count = try await database.write { try Note.owned(by: user).filter(Note.Columns.id == id).deleteAll($0) }
        guard count > 0 else { return false }
        logger.info("note deleted", metadata: ["note": "\(id)", "user": "\(user)"])
        return true
    }

    /// Throws where the database does not answer.
    func checkHealth() async throws {
        _ = try await database.read { try Note.limit(1).fetchCount($0) }
    }
}

extension Note {
    /// The one place that says whose notes a user sees.
    fileprivate static func owned(by user: User) -> QueryInterfaceRequest<Note> {
        filter(Columns.user == user.name)
    }
}

/// The columns of a note that the database does not make up itself.
private struct NewNote: Encodable, PersistableRecord {
    static let databaseTableName = Note.databaseTableName

    let user: String
    let text: String
    let createdAt: Date
}
