import AsyncHTTPClient
import Foundation
import NIOHTTP1

/// Sends one request after another over one connection, and checks every answer.
///
/// The notes that it has created are its own: no other worker deletes them, so it knows what to expect of them.
struct Worker {
    let clients: [Client]
    let http: HTTPClient
    let server: String
    let ledger: Ledger
    let tally: Tally
    let course: Course
    private var own: [Ledger.Note] = []

    init(clients: [Client], http: HTTPClient, server: String, ledger: Ledger, tally: Tally, course: Course) {
        self.clients = clients
        self.http = http
        self.server = server
        self.ledger = ledger
        self.tally = tally
        self.course = course
    }

    /// Works until there is nothing more to send, or nobody to send it to.
    mutating func run() async throws {
        while let number = await course.next() {
            guard let client = clients.randomElement() else { return }
            switch Int.random(in: 0..<100) {
            case 0..<30: try await create(1, as: client, number)
            case 30..<33: try await create(3, as: client, number)
            case 33..<36: try await createBadBatch(as: client, number)
            case 36..<58: try await delete(as: client, number)
            case 58..<78: try await read(as: client, number)
            case 78..<81: try await list(as: client, number)
            case 81..<83: try await export(as: client, number)
            case 83..<85:
                try await export(as: client, number, patience: .microseconds(Int.random(in: 0..<4000)))
            case 85..<88: try await readSomebodyElses(as: client, number)
            case 88..<91: try await createBlank(as: client, number)
            case 91..<94: try await knock(as: client, number)
            case 94..<97: try await create(3, as: client, number, patience: .microseconds(Int.random(in: 0..<4000)))
            default: try await create(1, as: client, number, patience: .microseconds(Int.random(in: 0..<4000)))
            }
        }
    }
}

// MARK: - Requests

extension Worker {
    private mutating func create(_ count: Int, as client: Client, _ number: Int, patience: Duration? = nil) async throws
    {
        let texts = (0..<count).map { text(client, number, $0) }
        let request =
            try count == 1
            ? LoadRequest(.POST, "\(server)/notes", as: client, number: number, body: ["text": texts[0]])
            : LoadRequest(.POST, "\(server)/notes/batch", as: client, number: number, body: ["texts": texts])
        let wasCalm = course.isCalm
        guard let answer = await send(request, expecting: 201, patience: patience) else {
            ledger.record {
                _ = $0.perhapsCreated.insert(
                    Ledger.Attempt(tenant: client.tenant, user: client.user, texts: texts)
                )
            }
            return
        }
        guard let notes = answer.notes, notes.map(\.text) == texts, notes.allSatisfy({ $0.user == client.user }) else {
            return tally.mismatch("\(request.requestID): the notes created are not those sent")
        }
        let created = notes.map {
            Ledger.Note(tenant: client.tenant, id: $0.id, user: $0.user, text: $0.text)
        }
        ledger.record { contents in
            for note in created {
                if !contents.created.insert(note).inserted { tally.mismatch("\(request.requestID): an id came twice") }
            }
            if !wasCalm { return }
            contents.mustBeAnnounced.formUnion(created)
        }
        tally.count("notes acknowledged", count)
        own += created
    }

    /// Sends several notes of which the last cannot be stored: then none of them may be.
    private func createBadBatch(as client: Client, _ number: Int) async throws {
        let texts = [text(client, number, 0), text(client, number, 1), " "]
        _ = await send(
            try LoadRequest(.POST, "\(server)/notes/batch", as: client, number: number, body: ["texts": texts]),
            expecting: 422
        )
    }

    private func createBlank(as client: Client, _ number: Int) async throws {
        _ = await send(
            try LoadRequest(.POST, "\(server)/notes", as: client, number: number, body: ["text": " "]),
            expecting: 422
        )
    }

    private mutating func delete(as client: Client, _ number: Int) async throws {
        guard let index = own.indices.randomElement() else { return try await list(as: client, number) }
        let note = own.remove(at: index)
        let request = try LoadRequest(.DELETE, url(note), as: owner(of: note), number: number)
        let answer = await send(request, expecting: 204)
        ledger.record {
            if answer == nil { $0.perhapsDeleted.insert(note) } else { $0.deleted.insert(note) }
        }
        if answer != nil { tally.count("deletions acknowledged") }
    }

    private func read(as client: Client, _ number: Int) async throws {
        guard let note = own.randomElement() else { return try await list(as: client, number) }
        let request = try LoadRequest(.GET, url(note), as: owner(of: note), number: number)
        guard let answer = await send(request, expecting: 200) else { return }
        let read = answer.notes?.first
        tally.expect(
            read?.id == note.id && read?.user == note.user && read?.text == note.text,
            "\(request.requestID): note \(note) was read as \(String(describing: read))"
        )
    }

    private func list(as client: Client, _ number: Int) async throws {
        let request = try LoadRequest(.GET, "\(server)/notes", as: client, number: number)
        guard let answer = await send(request, expecting: 200) else { return }
        check(answer.notes, of: client, request)
    }

    /// Reads what is streamed, to its end or until the client goes away.
    private func export(as client: Client, _ number: Int, patience: Duration? = nil) async throws {
        let request = try LoadRequest(.GET, "\(server)/notes/export", as: client, number: number)
        guard let answer = await send(request, expecting: 200, patience: patience) else { return }
        tally.count("exports read to their end")
        check(answer.lines, of: client, request)
    }

    private func check(_ notes: [AnsweredNote]?, of client: Client, _ request: LoadRequest) {
        guard let notes else { return tally.mismatch("\(request.requestID): no list of notes") }
        tally.expect(
            notes.allSatisfy { $0.user == client.user && $0.text.hasPrefix("\(client.tenant)/\(client.user)/") },
            "\(request.requestID): the list has notes of others"
        )
        let texts = Set(notes.map(\.text))
        tally.expect(
            own.allSatisfy { $0.tenant != client.tenant || $0.user != client.user || texts.contains($0.text) },
            "\(request.requestID): the list lacks notes that were acknowledged"
        )
    }

    private func readSomebodyElses(as client: Client, _ number: Int) async throws {
        let others = own.filter { $0.tenant == client.tenant && $0.user != client.user }
        guard let note = others.randomElement() else { return try await list(as: client, number) }
        _ = await send(try LoadRequest(.GET, url(note), as: client, number: number), expecting: 404)
    }

    /// Comes with a token that is nobody's.
    private func knock(as client: Client, _ number: Int) async throws {
        let token = client.token.dropLast() + "x"
        let request = try LoadRequest(.GET, "\(server)/notes", as: client, number: number, token: String(token))
        _ = await send(request, expecting: 401)
    }
}

// MARK: - Sending

extension Worker {
    /// Sends a request and checks that the answer has the status and belongs to the request.
    ///
    /// - Returns: The answer; nil where there was none, or a wrong one.
    private func send(_ request: LoadRequest, expecting status: Int, patience: Duration? = nil) async -> LoadAnswer? {
        tally.count("requests sent")
        let start = ContinuousClock.now
        guard let answer = await request.send(with: http, patience: patience) else {
            tally.count(patience == nil ? "without an answer, because the server ended" : "cancelled by the client")
            guard patience == nil else { return nil }
            let isExpected = await course.noAnswer()
            tally.expect(isExpected, "\(request.requestID): no answer from a server that nobody had ended")
            return nil
        }
        tally.count("answered with \(answer.status)")
        tally.time(course.changes.contains(request.number) ? "changes" : "none", start.duration(to: .now))
        let isKnown = status != 401
        tally.expect(answer.status == status, "\(request.requestID): status \(answer.status) instead of \(status)")
        tally.expect(
            answer.headers["X-Request-ID"] == [request.requestID]
                && answer.headers["X-User"] == (isKnown ? [request.client.user] : [])
                && answer.headers["X-Tenant"] == (isKnown ? [request.client.tenant] : []),
            "\(request.requestID): the answer is that of another request: \(answer.headers)"
        )
        return answer.status == status ? answer : nil
    }

    private func text(_ client: Client, _ number: Int, _ index: Int) -> String {
        "\(client.tenant)/\(client.user)/\(number)/\(index)"
    }

    private func url(_ note: Ledger.Note) -> String { "\(server)/notes/\(note.id)" }

    private func owner(of note: Ledger.Note) throws -> Client {
        guard let owner = clients.first(where: { $0.user == note.user && $0.tenant == note.tenant }) else {
            throw ServerFailure(description: "Nobody owns \(note).")
        }
        return owner
    }
}
