import AsyncHTTPClient
import Hummingbird
import NIOCore
import NIOHTTP1
import NotesApp
import ScopedInjection
import ServiceLifecycle
import Synchronization
import Testing

@Suite struct ShutdownTests {
    @Test func aServerThatIsToldToStopFinishesWhatIsUnderWay() async throws {
        let hasWritten = Gate()
        let mayEnd = Gate()
        let scope = makeTestScope()
        let ports = AsyncStream.makeStream(of: Int.self)
        let application = try await makeNotesApplication(
            in: scope,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            addRoutes: { router in
                router.post("probe") { _, _ in
                    let scope = EnvironmentScope.current
                    _ = try await scope.noteStore.createNote(NoteText("under way"), for: scope.user)
                    hasWritten.open()
                    try await mayEnd.wait()
                    return "done"
                }
            },
            onServerRunning: { channel in
                ports.continuation.yield(channel.localAddress?.port ?? 0)
                ports.continuation.finish()
            }
        )
        let group = ServiceGroup(configuration: .init(services: [application], logger: scope.logger))
        let running = Task { try await group.run() }
        var port = 0
        for await value in ports.stream { port = value }

        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/probe")
        request.method = .POST
        request.headers.add(name: "Authorization", value: "Bearer \(TestUser.alice.token)")
        async let response = HTTPClient.shared.execute(request, timeout: .seconds(300))
        try await hasWritten.wait()
        await group.triggerGracefulShutdown()
        mayEnd.open()
        #expect(try await response.status == .ok)
        try await running.value

        let north = try #require(scope.tenants.all.first)
        let notes = try await north.withChild("look", role: .request) {
            try await EnvironmentScope.current.noteStore.notes(of: TestUser.alice.account.user)
        }
        #expect(notes.map(\.text) == ["under way"])
        await scope.close()
        #expect(north.isClosed)
    }

    /// A tenant's scope may still use what the application's keeps.
    @Test func theScopesOfTheTenantsAreClosedBeforeWhatTheApplicationKeeps() async throws {
        let order = Mutex<[String]>([])
        let scope = makeTestScope { scope in
            scope.onClose { order.withLock { $0.append("application") } }
        }
        for tenant in scope.tenants.all {
            let name = tenant.tenant.name
            tenant.onClose { order.withLock { $0.append(name) } }
        }
        await scope.close()
        // The tenants' scopes are independent of each other, so they close at the same time.
        #expect(order.withLock { $0 }.dropLast().sorted() == ["north", "south"])
        #expect(order.withLock { $0 }.last == "application")
    }
}
