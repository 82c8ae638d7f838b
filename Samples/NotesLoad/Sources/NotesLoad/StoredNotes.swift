import Foundation
import GRDB

/// What the databases hold at the end, compared with what was acknowledged.
struct StoredNotes {
    private let notes: Set<Ledger.Note>

    /// Reads the databases of the tenants, each from a copy of its file alone, as a backup is; no server may be running.
    init(folder: URL, tenants: Set<String>) throws {
        var notes: Set<Ledger.Note> = []
        for tenant in tenants {
            let copy = folder.appending(path: "copy-of-\(tenant).db")
            try FileManager.default.copyItem(at: folder.appending(path: "\(tenant).db"), to: copy)
            let database = try DatabaseQueue(path: copy.path)
            let rows = try database.read { try Row.fetchAll($0, sql: "SELECT id, user, text FROM note") }
            for row in rows {
                notes.insert(Ledger.Note(tenant: tenant, id: row["id"], user: row["user"], text: row["text"]))
            }
            try database.close()
        }
        self.notes = notes
    }

    /// Notes every difference that no request without an answer explains.
    func compare(with ledger: Ledger.Contents, _ tally: Tally) {
        tally.count("notes stored", notes.count)
        let expected = ledger.created.subtracting(ledger.deleted)
        for note in expected.subtracting(notes) where !ledger.perhapsDeleted.contains(note) {
            tally.mismatch("acknowledged, but not stored: \(note)")
        }
        for note in notes.intersection(ledger.deleted) { tally.mismatch("deleted, but stored: \(note)") }
        compare(notes.subtracting(ledger.created), with: ledger.perhapsCreated, tally)
        tally.count("notes stored of requests without an answer", notes.subtracting(ledger.created).count)
    }

    /// Notes what nobody acknowledged, unless it is all of what a request without an answer asked for, once.
    private func compare(_ unexpected: Set<Ledger.Note>, with attempts: Set<Ledger.Attempt>, _ tally: Tally) {
        var attemptsByText: [String: Ledger.Attempt] = [:]
        for attempt in attempts {
            for text in attempt.texts { attemptsByText[text] = attempt }
        }
        var found: [Ledger.Attempt: [String]] = [:]
        for note in unexpected {
            guard let attempt = attemptsByText[note.text], attempt.user == note.user, attempt.tenant == note.tenant
            else {
                tally.mismatch("stored, but nobody asked for it: \(note)")
                continue
            }
            found[attempt, default: []].append(note.text)
        }
        for (attempt, texts) in found where texts.sorted() != attempt.texts.sorted() {
            tally.mismatch("stored in part, or twice: \(attempt), stored \(texts)")
        }
    }
}
