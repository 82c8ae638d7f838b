import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NotesApp
import ScopedInjection
import Synchronization
import Testing

@Suite struct EventTests {
    /// However many listen, each for hours: the check and each look for news have given theirs back.
    @Test func whoListensForEventsHoldsNoTransaction() async throws {
        let looks = AsyncStream.makeStream(of: ScopeEvent.Kind.self)
        let open = Mutex(0)
        let scope = makeTestScope { scope in
            scope.pauseOfEvents = .milliseconds(1)
            scope.observe { event in
                guard event.name == "transaction" else { return }
                if event.kind == .built { open.withLock { $0 += 1 } }
                if event.kind == .cleanedUp { open.withLock { $0 -= 1 } }
                if event.scope == "event" { looks.continuation.yield(event.kind) }
            }
        }
        try await withServer(.ahc(), in: scope) { client in
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
            #expect(open.withLock { $0 } == 0)
        }
    }

    @Test func nobodyListensWithoutAToken() async throws {
        try await withServer { try expectRefusal(try await $0.send(.get, "/notes/events"), status: 401) }
    }
}
