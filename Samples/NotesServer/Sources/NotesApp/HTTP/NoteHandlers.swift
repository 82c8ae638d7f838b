import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import ScopedInjection
import ServiceLifecycle

/// Answers the requests under `/notes`.
///
/// One value serves all requests: its properties give the values of the scope of the request being handled.
struct NoteHandlers: Sendable {
    @Injected(\.noteStore) private var storeReference
    @Injected(\.user) private var user
    @Injected(\.transaction) private var transaction
    @Injected(\.logger) private var logger
    @Injected(\.backgroundWork) private var backgroundWork

    /// Throws where the database cannot be opened; the reference itself would end the server.
    private var store: NoteStore { get throws { try $storeReference.value() } }

    /// Adds the routes to a router.
    func addRoutes(to router: some RouterMethods<NotesRequestContext>) {
        router.group("notes")
            .add(middleware: RequireUserMiddleware())
            .post(use: create)
            .post("batch", use: createBatch)
            .get(use: list)
            .get("export", use: export)
            .get("events", use: events)
            .get(":id", use: show)
            .delete(":id", use: delete)
    }

    private func create(
        request: Request,
        context: NotesRequestContext
    ) async throws -> EditedResponse<Note> {
        let body = try await request.decode(as: NoteBody.self, context: context)
        let note = try await EnvironmentScope.current.retrying { try await create(body.text) }
        return EditedResponse(status: .created, headers: [.location: "/notes/\(note.id)"], response: note)
    }

    /// Creates notes one after another, all in the request's transaction: one that cannot be created takes back those
    /// before it.
    private func createBatch(
        request: Request,
        context: NotesRequestContext
    ) async throws -> EditedResponse<[Note]> {
        let body = try await request.decode(as: NoteBatchBody.self, context: context)
        let notes = try await EnvironmentScope.current.retrying {
            var notes: [Note] = []
            for text in body.texts { notes.append(try await create(text)) }
            return notes
        }
        return EditedResponse(status: .created, response: notes)
    }

    private func create(_ text: String) async throws -> Note {
        let note = try await store.createNote(.valid(text), for: user)
        let origin = RequestOrigin(.current)
        await transaction.afterCommit { [backgroundWork] in
            backgroundWork.start("announcement", for: origin) {
                try await EnvironmentScope.current.announcer.announce(note)
            }
        }
        return note
    }

    private func list(request: Request, context: NotesRequestContext) async throws -> [Note] {
        try await store.notes(of: user)
    }

    /// Answers with one line of JSON for each note, written while they are read from the database.
    ///
    /// The properties give the values of the request while the body is written, too.
    private func export(request: Request, context: NotesRequestContext) -> Response {
        let body = ResponseBody { writer in
            let encoder = JSONEncoder.notes
            var last: Int64 = 0
            while case let page = try await store.notes(of: user, after: last, atMost: 100), let end = page.last {
                for note in page {
                    var line = ByteBuffer(bytes: try encoder.encode(note))
                    line.writeString("\n")
                    try await writer.write(line)
                }
                last = end.id
            }
            try await writer.finish(nil)
            logger.info("notes exported", metadata: ["user": "\(user.name)"])
        }
        return Response(status: .ok, headers: [.contentType: "application/jsonl"], body: body)
    }

    /// Answers with server-sent events: the user's notes that are created from now on, until the client goes or the server stops.
    ///
    /// The check and each look for news are requests of their own, so the connection holds no transaction.
    private func events(request: Request, context: NotesRequestContext) async throws -> Response {
        let known = try await EnvironmentScope.current.withChild("check", role: .request) {
            try await store.notes(of: user).last?.id ?? 0
        }
        let body = ResponseBody { writer in
            let connection = EnvironmentScope.current
            var last = known
            while !Task.isShuttingDownGracefully, connection.parent?.isClosing == false {
                let notes = try await connection.withChild("event", role: .request) {
                    try await store.notes(of: user, after: last, atMost: 100)
                }
                last = notes.last?.id ?? last
                try await writer.write(notes.events)
                try await Task.sleep(for: connection.pauseOfEvents)
            }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: [.contentType: "text/event-stream"], body: body)
    }

    private func show(request: Request, context: NotesRequestContext) async throws -> Note {
        let id = try requireNoteID(context)
        guard let note = try await store.note(id, of: user) else { throw noSuchNote(id) }
        return note
    }

    private func delete(request: Request, context: NotesRequestContext) async throws -> HTTPResponse.Status {
        let id = try requireNoteID(context)
        guard try await store.deleteNote(id, of: user) else { throw noSuchNote(id) }
        return .noContent
    }

    private func requireNoteID(_ context: NotesRequestContext) throws -> Int64 {
        let parameter = try context.parameters.require("id")
        guard let id = Int64(parameter) else {
            throw HTTPError(.badRequest, message: "'\(parameter)' is not the id of a note, which is a whole number.")
        }
        return id
    }

    /// The same for a note of somebody else as for none, so that ids tell nothing.
    private func noSuchNote(_ id: Int64) -> HTTPError {
        HTTPError(.notFound, message: "There is no note \(id).")
    }
}
