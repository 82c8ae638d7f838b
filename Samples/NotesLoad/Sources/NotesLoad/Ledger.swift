import Synchronization

/// What the server has acknowledged, and what it may or may not have done.
final class Ledger: Sendable {
    /// A note as the load check knows it.
    struct Note: Hashable, Sendable {
        let tenant: String
        let id: Int64
        let user: String
        let text: String
    }

    /// The notes of one request, of which either all or none are stored.
    struct Attempt: Hashable, Sendable {
        let tenant: String
        let user: String
        let texts: [String]
    }

    struct Contents: Sendable {
        /// Created, and the server said so.
        var created: Set<Note> = []
        /// Deleted, and the server said so.
        var deleted: Set<Note> = []
        /// Asked to be created, without an answer.
        var perhapsCreated: Set<Attempt> = []
        /// Asked to be deleted, without an answer.
        var perhapsDeleted: Set<Note> = []
        /// What the announcements said of the notes: tenant, id and user.
        var announced: Set<[String]> = []
        /// The numbers of the settings by which announcements were sent.
        var settings: Set<Int> = []
        /// Created after the restart.
        ///
        /// The server is not killed any more, so it has to announce all of these.
        var mustBeAnnounced: Set<Note> = []
    }

    private let contents = Mutex(Contents())

    func record(_ change: (inout sending Contents) -> Void) { contents.withLock { change(&$0) } }

    var current: Contents { contents.withLock { $0 } }
}
