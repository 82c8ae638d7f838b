import HTTPTypes
import Hummingbird
import ScopedInjection

/// Answers the requests under `/notes`.
///
/// One value serves all requests: its properties give the values of the scope of the request being handled.
struct NoteHandlers: Sendable {
    @Injected(\.noteStore) private var store
    @Injected(\.user) private var user

    /// Adds the routes to a router.
    func addRoutes(to router: some RouterMethods<NotesRequestContext>) {
        router.group("notes")
            .post(use: create)
            .get(use: list)
            .get(":id", use: show)
            .delete(":id", use: delete)
    }

    private func create(
        request: Request,
        context: NotesRequestContext
    ) async throws -> EditedResponse<Note> {
        let user = try requireUser()
        let body = try await request.decode(as: NoteBody.self, context: context)
        let note = try await store.createNote(body.validText(), for: user)
        return EditedResponse(status: .created, headers: [.location: "/notes/\(note.id)"], response: note)
    }

    private func list(request: Request, context: NotesRequestContext) async throws -> [Note] {
        try await store.notes(of: requireUser())
    }

    private func show(request: Request, context: NotesRequestContext) async throws -> Note {
        let user = try requireUser()
        let id = try requireNoteID(context)
        guard let note = try await store.note(id, of: user) else { throw noSuchNote(id) }
        return note
    }

    private func delete(request: Request, context: NotesRequestContext) async throws -> HTTPResponse.Status {
        let user = try requireUser()
        let id = try requireNoteID(context)
        guard try await store.deleteNote(id, of: user) else { throw noSuchNote(id) }
        return .noContent
    }

    private func requireUser() throws -> User {
        guard let user else {
            throw HTTPError(
                .unauthorized,
                message: "The header X-User must name the user: up to 64 ASCII letters, digits and any of . _ @ -"
            )
        }
        return user
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
