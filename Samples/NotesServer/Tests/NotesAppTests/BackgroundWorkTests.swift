import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NotesApp
import ScopedInjection
import ServiceLifecycle
import Synchronization
import Testing

@Suite struct BackgroundWorkTests {
    /// Takes note of what is announced, and from which scope.
    private final class Listener: Announcer {
        struct Heard: Equatable {
            let text: String
            let tenant: String
            let user: String
            let requestID: String?
        }

        let heard = Mutex<[Heard]>([])
        let gate: Gate?

        init(gate: Gate? = nil) { self.gate = gate }

        func announce(_ note: Note) async throws {
            try await gate?.wait()
            let scope = EnvironmentScope.current
            let heard = Heard(
                text: note.text,
                tenant: scope.tenant.name,
                user: scope.user.name,
                requestID: scope.requestID?.rawValue
            )
            self.heard.withLock { $0.append(heard) }
        }
    }

    @Test func aNoteIsAnnouncedInAScopeThatKnowsWhoseRequestItWas() async throws {
        let listener = Listener()
        try await withServer(.ahc(), configure: { $0.announcer = listener }) { client in
            _ = try await client.create("northern", as: .alice, requestID: "call-1")
            _ = try await client.create("southern", as: .southernAlice, requestID: "call-2")
        }
        // The server has stopped, which means that its background work is done.
        let heard = listener.heard.withLock { $0.sorted { $0.text < $1.text } }
        #expect(
            heard == [
                Listener.Heard(text: "northern", tenant: "north", user: "alice", requestID: "call-1"),
                Listener.Heard(text: "southern", tenant: "south", user: "alice", requestID: "call-2"),
            ]
        )
    }

    @Test func workOutlivesTheRequestAndIsFinishedBeforeTheServerStops() async throws {
        let gate = Gate()
        let listener = Listener(gate: gate)
        try await withServer(.ahc(), configure: { $0.announcer = listener }) { client async throws in
            #expect(try await client.create("milk", as: .alice).status == 201)
            #expect(listener.heard.withLock { $0.isEmpty })
            gate.open()
        }
        #expect(listener.heard.withLock { $0.map(\.text) } == ["milk"])
    }

    @Test func whatIsRolledBackIsNotAnnounced() async throws {
        let listener = Listener()
        try await withServer(.ahc(), configure: { $0.announcer = listener }) { client async throws in
            _ = try await client.createBatch(["one", " "], as: .alice)
            _ = try await client.createBatch(["two", "three"], as: .alice)
        }
        #expect(listener.heard.withLock { Set($0.map(\.text)) } == ["two", "three"])
    }

    @Test func workHasATransactionOfItsOwn() async throws {
        let handler: ProbeHandler = { _, _ in
            let scope = EnvironmentScope.current
            let transaction = scope.transaction
            scope.backgroundWork.start("probe", for: RequestOrigin(scope)) {
                let scope = EnvironmentScope.current
                #expect(scope.transaction !== transaction)
                _ = try await scope.noteStore.createNote(NoteText("later"), for: scope.user)
            }
            return "started"
        }
        let scope = makeTestScope()
        try await makeNotesApplication(in: scope, addRoutes: { $0.post("probe", use: handler) }).test(.ahc()) {
            http async throws in
            #expect(try await NotesClient(http: http).send(.post, "/probe", as: .alice).status == 200)
        }
        let notes = try await scope.tenants.all[0].withChild("look", role: .request) {
            try await EnvironmentScope.current.noteStore.notes(of: TestUser.alice.account.user)
        }
        #expect(notes.map(\.text) == ["later"])
        await scope.close()
    }
}
