import GRDB

/// Opens the database of the notes, creating the file and bringing its tables up to date.
///
/// A serial queue and SQLite's default journal: a note is on disk before its creation is answered.
///
/// - Parameter path: the file, or `:memory:` for a database of its own that dies with the connection
/// - Throws: ``DatabaseOpeningError`` where the file cannot be opened or written
func openNotesDatabase(at path: String) throws(DatabaseOpeningError) -> any DatabaseWriter {
    do {
        // SQLite takes an empty path for a temporary file, in which notes would be lost.
        guard !path.isEmpty else { throw DatabaseError(message: "the path is empty") }
        var configuration = Configuration()
        configuration.label = "notes"
        configuration.busyMode = .timeout(5)
        let database = try DatabaseQueue(path: path, configuration: configuration)
        try notesMigrator().migrate(database)
        // SQLite opens a file it may only read without complaint: a write tells now, not at the first note.
        try database.write { try $0.execute(sql: "PRAGMA application_id = \(notesApplicationID)") }
        return database
    } catch {
        throw DatabaseOpeningError(path: path, underlying: error)
    }
}

/// Marks the file as one of notes ("note" in ASCII), for tools that look.
private let notesApplicationID: Int32 = 0x6E6F_7465

/// The tables of the notes, version by version.
private func notesMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1: notes") { database in
        try database.create(table: Note.databaseTableName) { table in
            // AUTOINCREMENT, so that the id of a deleted note never comes to mean another one.
            table.autoIncrementedPrimaryKey("id")
            table.column("user", .text).notNull().indexed()
            table.column("text", .text).notNull()
            table.column("createdAt", .datetime).notNull()
        }
    }
    return migrator
}
