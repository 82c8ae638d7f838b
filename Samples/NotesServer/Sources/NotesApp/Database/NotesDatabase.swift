package import GRDB
import Synchronization

/// A tenant's database: any number of readers, and one writer at a time.
///
/// SQLite has one writer, so transactions queue. They queue at a turnstile, where a waiting request holds no thread and
/// leaves when it is cancelled; inside SQLite or GRDB it would do neither.
package final class NotesDatabase: Sendable {
    private enum Connections: Sendable {
        /// Readers see what was committed last, and never wait for the writer.
        case file(DatabasePool)
        /// One connection, so readers take turns with writers.
        case memory(DatabaseQueue)
    }

    /// How often a file was opened since the program began.
    static let openings = Atomic(0)

    private let connections: Connections
    private let turnstile = Turnstile()
    private let isClosed = Atomic(false)
    private let numbers = Atomic<TransactionNumber>(0)
    /// The transaction that has begun last; changed on the writer's connection only.
    private let current = Atomic<TransactionNumber>(0)

    /// Tells one transaction from another.
    typealias TransactionNumber = UInt64

    /// Opens a file, creating it where there is none, and brings its tables up to date.
    ///
    /// - Throws: ``DatabaseOpeningError`` where the file cannot be opened or written
    package init(path: String) throws(DatabaseOpeningError) {
        do {
            let pool = try DatabasePool(path: path, configuration: Self.configuration)
            // A committed note survives a loss of power too, not only the end of the process, as it would with NORMAL.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try Self.prepare(pool)
            connections = .file(pool)
            Self.openings.add(1, ordering: .relaxed)
        } catch {
            throw DatabaseOpeningError(path: path, underlying: error)
        }
    }

    private init(memory: DatabaseQueue) { connections = .memory(memory) }

    /// A database of its own that is gone when it is closed.
    package static func inMemory() throws -> NotesDatabase {
        let queue = try DatabaseQueue(configuration: configuration)
        try prepare(queue)
        return NotesDatabase(memory: queue)
    }

    /// Moves what was committed from the log into the file itself, which then is all of the database, and closes the
    /// connections; the second time it does nothing.
    ///
    /// - Throws: what kept it from that: a part of the notes is in the file that ends in `-wal`
    package func close() throws {
        if isClosed.exchange(true, ordering: .relaxed) { return }
        defer { try? writer.close() }
        // SQLite does that when the last connection is closed, but GRDB's last one is a reader, which may not.
        if case .file(let pool) = connections {
            try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
        }
    }

    /// Reads what is committed.
    package func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try checkIsOpen()
        switch connections {
        case .file(let pool): return try await pool.read(body)
        case .memory(let queue):
            try await turnstile.take()
            defer { turnstile.leave() }
            return try await queue.read(body)
        }
    }

    /// Waits until nobody else writes, and begins a transaction, which ends with ``commit(_:)`` or ``rollBack()``.
    func begin() async throws -> TransactionNumber {
        try checkIsOpen()
        try await turnstile.take()
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        do {
            try await writer.writeWithoutTransaction { database in
                try database.beginTransaction(.immediate)
                current.store(number, ordering: .relaxed)
            }
        } catch {
            await rollBack()
            throw error
        }
        return number
    }

    /// Works within a transaction.
    ///
    /// - Throws: ``TransactionIsOver`` where it has ended
    func perform<Value: Sendable>(
        in number: TransactionNumber,
        _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await writer.writeWithoutTransaction { database in
            // Neither on its own, where a statement was interrupted and took the transaction with it, nor in that of others.
            guard database.isInsideTransaction, current.load(ordering: .relaxed) == number else {
                throw TransactionIsOver()
            }
            return try body(database)
        }
    }

    /// Commits a transaction, and lets the next one begin.
    ///
    /// Once it is on its way it is not cancelled: a commit that may or may not have happened helps nobody.
    func commit(_ number: TransactionNumber) async throws {
        let task = Task { try await perform(in: number) { try $0.commit() } }
        try await task.value
        turnstile.leave()
    }

    /// Takes back what was done in the transaction, whether or not the task is cancelled, and lets the next one begin.
    func rollBack() async {
        let writer = writer
        let task = Task {
            try await writer.writeWithoutTransaction { if $0.isInsideTransaction { try $0.rollback() } }
        }
        _ = await task.result
        turnstile.leave()
    }

    /// GRDB takes the connection to be open.
    private func checkIsOpen() throws {
        guard !isClosed.load(ordering: .relaxed) else { throw DatabaseError(message: "the database is closed") }
    }

    private var writer: any DatabaseWriter {
        switch connections {
        case .file(let pool): pool
        case .memory(let queue): queue
        }
    }

    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.label = "notes"
        configuration.busyMode = .timeout(5)
        // A transaction is open from one step of a request to the next; the turnstile keeps others out of it.
        configuration.allowsUnsafeTransactions = true
        return configuration
    }

    private static func prepare(_ writer: any DatabaseWriter) throws {
        try notesMigrator().migrate(writer)
        // SQLite opens a file it may only read without complaint: a write tells now, not at the first note.
        try writer.write { try $0.execute(sql: "PRAGMA application_id = \(notesApplicationID)") }
    }
}

/// Marks the file as one of notes ("note" in ASCII), for tools that look.
private let notesApplicationID: Int32 = 0x6E6F_7465
