package import Foundation
import GRDB
import Logging
import ScopedInjection

/// Keeps the notes of a tenant's users; whatever it is asked, it is asked for one user and answers about that user's notes
/// only.
///
/// One store serves all requests of a tenant, and yet works in the transaction of the request it is working for, and writes
/// its lines to that request's log: its `@Injected` properties are resolved at each read. GRDB runs what is passed to
/// `write` and `read` elsewhere, where no scope is current, so they are read before.
package final class NoteStore: Sendable {
    private let database: NotesDatabase
    private let transaction = Injected(\.transaction)
    private let clock = Injected(\.clock)
    private let logger = Injected(\.logger)

    package init(database: NotesDatabase) { self.database = database }

    /// Creates a note.
    ///
    /// - Returns: the note as it is stored once the transaction is committed
    package func createNote(_ text: NoteText, for user: User) async throws -> Note {
        let row = NewNote(user: user.name, text: text.value, createdAt: clock()())
        let note = try await transaction().write { try row.insertAndFetch($0, as: Note.self) }
        await logAfterCommit("note created", note.id)
        return note
    }

    /// The notes of a user, oldest first.
    package func notes(of user: User) async throws -> [Note] {
        try await transaction().read { try Note.owned(by: user).order(Note.Columns.id).fetchAll($0) }
    }

    /// The first notes of a user after one, oldest first, for who reads them page by page.
    package func notes(of user: User, after id: Int64, atMost count: Int) async throws -> [Note] {
        try await transaction().read {
            try Note.owned(by: user).filter(Note.Columns.id > id).order(Note.Columns.id).limit(count).fetchAll($0)
        }
    }

    /// One note of a user; nil where there is none of that id or it is somebody else's.
    package func note(_ id: Int64, of user: User) async throws -> Note? {
        try await transaction().read { try Note.owned(by: user).filter(Note.Columns.id == id).fetchOne($0) }
    }

    /// Deletes one note of a user.
    ///
    /// - Returns: whether there was such a note
    package func deleteNote(_ id: Int64, of user: User) async throws -> Bool {
        let count = try await transaction().write {
            try Note.owned(by: user).filter(Note.Columns.id == id).deleteAll($0)
        }
        guard count > 0 else { return false }
        await logAfterCommit("note deleted", id)
        return true
    }

    /// Deletes the notes of all users that were created before a time.
    ///
    /// - Returns: how many there were
    package func deleteNotes(createdBefore date: Date) async throws -> Int {
        try await transaction().write { try Note.filter(Note.Columns.createdAt < date).deleteAll($0) }
    }

    /// Throws where the database does not answer.
    package func checkHealth() async throws {
        _ = try await database.read { try Note.limit(1).fetchCount($0) }
    }

    /// What is taken back has not happened, and the log does not say so.
    private func logAfterCommit(_ message: Logger.Message, _ id: Int64) async {
        let logger = logger()
        await transaction().afterCommit { logger.info(message, metadata: ["note": "\(id)"]) }
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
