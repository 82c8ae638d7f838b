import GRDB

/// The tables of the notes, version by version.
func notesMigrator() -> DatabaseMigrator {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1: notes") { database in
        try database.create(table: Note.databaseTableName) { table in
            // AUTOINCREMENT, so that the id of a deleted note never comes to mean another one.
            table.autoIncrementedPrimaryKey("id")
            table.column("user", .text).notNull().indexed()
            table.column("text", .text).notNull()
            table.column("createdAt", .datetime).notNull().indexed()
        }
    }
    return migrator
}
