import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NotesApp
import ScopedInjection
import Synchronization
import Testing

@Suite struct EventTests {
    /// However many listen, each for hours: the check and each look for news have transactions of their own, and have given them back.
    @Test func whoListensForEventsHoldsNoTransaction() async throws {
        let looks = AsyncStream.makeStream(of: ScopeEvent.Kind.self)
        let begun = Mutex<[String?]>([])
        let scope = makeTestScope { scope in
            scope.pauseOfEvents = .milliseconds(1)
            scope.observe { event in
                guard event.name == "transaction" else { return }
                if event.kind == .built { begun.withLock { $0.append(event.scope) } }
                if event.scope == "event" { looks.continuation.yield(event.kind) }
            }
        }
        try await withServer(.ahc(), in: scope) { client in
            // Those of the check at the start.
            begun.withLock { $0 = [] }
            _ = try await client.create("before", as: .alice)
            async let answer = client.send(.get, "/notes/events", as: .alice)
            var ends = looks.stream.filter { $0 == .cleanedUp }.makeAsyncIterator()
            _ = await ends.next()
            _ = try await client.create("milk", as: .alice)
            _ = try await client.create("bob's", as: .bob)
            // The first may have begun before.
            for _ in 0..<2 { _ = await ends.next() }
            // Who listens does not hold up the end of the tenant.
            try await scope.tenants.evict(#require(Tenant(name: "north")))
            let body = try await answer.body
            #expect(body.contains("\"text\":\"milk\"") && !body.contains("before") && !body.contains("bob"))
        }
        // What is begun in "request" belongs to the three that create notes, and none to the connection, which has that name, too.
        let scopes = begun.withLock { $0 }
        #expect(scopes.count { $0 == "request" } == 3)
        #expect(Set(scopes) == ["request", "check", "event"])
    }

    @Test func nobodyListensWithoutAToken() async throws {
        try await withServer { try expectRefusal(try await $0.send(.get, "/notes/events"), status: 401) }
    }
}
