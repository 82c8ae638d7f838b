package import GRDB

/// The work of one request, or one job, on the database: committed when all of it succeeded, else taken back.
///
/// Nothing is begun before the first write, so a request that only reads never waits for one that writes. Whoever made the
/// scope commits; closing the scope rolls back what was not committed.
package actor Transaction {
    private enum Phase {
        case idle
        case begun(Task<NotesDatabase.TransactionNumber, any Error>)
        case over
    }

    private let database: NotesDatabase
    private var phase = Phase.idle
    private var actions: [@Sendable () -> Void] = []

    package init(on database: NotesDatabase) { self.database = database }

    /// Reads what is committed and, once something was written, what was written too.
    package func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        guard case .begun = phase else { return try await database.read(body) }
        return try await write(body)
    }

    /// Writes, after waiting for the transactions of others where this is the first write.
    package func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        let beginning: Task<NotesDatabase.TransactionNumber, any Error>
        switch phase {
        case .idle:
            beginning = Task { [database] in try await database.begin() }
            phase = .begun(beginning)
        case .begun(let task): beginning = task
        case .over: throw TransactionIsOver()
        }
        let number = try await withTaskCancellationHandler {
            try await beginning.value
        } onCancel: {
            beginning.cancel()
        }
        return try await database.perform(in: number, body)
    }

    /// What is to be done once the work is committed, and not otherwise: announcing it, for example.
    package func afterCommit(_ action: @escaping @Sendable () -> Void) { actions.append(action) }

    /// Makes the work permanent.
    ///
    /// - Throws: `CancellationError` where the task was cancelled before, and what the database says; then all is taken
    ///   back when the scope is closed
    package func commit() async throws {
        try Task.checkCancellation()
        if case .begun(let beginning) = phase {
            try await database.commit(beginning.value)
        }
        phase = .over
        for action in actions { action() }
        actions = []
    }

    /// Takes back what was not committed.
    package func rollBack() async {
        guard case .begun(let beginning) = phase else { return phase = .over }
        phase = .over
        guard case .success = await beginning.result else { return }
        await database.rollBack()
    }
}

/// Says that something was written after the end of the request that it belongs to.
package struct TransactionIsOver: Error, CustomStringConvertible {
    package var description: String { "The transaction is over: background work needs one of its own." }
}
