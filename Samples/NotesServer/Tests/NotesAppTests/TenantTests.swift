import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NotesApp
import ScopedInjection
import Synchronization
import Testing

@Suite struct TenantTests {
    @Test func tenantsWithUsersOfTheSameNameShareNothing() async throws {
        try await withServer(.ahc()) { client in
            _ = try await client.create("northern", as: .alice)
            _ = try await client.create("southern", as: .southernAlice)
            #expect(try await client.list(as: .alice).map(\.text) == ["northern"])
            #expect(try await client.list(as: .southernAlice).map(\.text) == ["southern"])
        }
    }

    /// The store is built from the database, which is built for the tenant: rebuilt for each tenant, shared within it.
    @Test func theRequestsOfATenantShareOneStore() async throws {
        let stores = Mutex<[String: [NoteStore]]>([:])
        let handler: ProbeHandler = { _, _ in
            let scope = EnvironmentScope.current
            stores.withLock { $0[scope.tenant.name, default: []].append(scope.noteStore) }
            return "seen"
        }
        try await withServer(.ahc(), probe: handler) { client async throws in
            for user in [TestUser.alice, .southernAlice, .bob, .southernAlice, .alice] {
                #expect(try await client.send(.post, "/probe", as: user).status == 200)
            }
        }
        let seen = stores.withLock { $0 }
        let north = try #require(seen["north"])
        let south = try #require(seen["south"])
        #expect(north.count == 3)
        #expect(north.allSatisfy { $0 === north[0] })
        #expect(south.count == 2)
        #expect(south.allSatisfy { $0 === south[0] })
        #expect(north[0] !== south[0])
    }

    @Test func whatDependsOnTheTenantIsKeptInTheTenantsScope() async throws {
        let scope = makeTestScope()
        let north = try #require(scope.tenants.all.first)
        let store = await north.withChild("request", role: .request) { EnvironmentScope.current.noteStore }
        #expect(north.localValue(for: \.noteStore) === store)
        #expect(north.localValue(for: \.database) != nil)
        #expect(scope.localValue(for: \.noteStore) == nil)
        #expect(scope.localValue(for: \.tenants) != nil)
        await scope.close()
    }

    /// A database of the request's own, to a replica for example, makes a store of the request's own.
    @Test func aRequestMayHaveADatabaseOfItsOwn() async throws {
        let scope = makeTestScope()
        let north = try #require(scope.tenants.all.first)
        let database = try NotesDatabase.inMemory()
        let own = await north.withChild("request", role: .request) {
            $0.database = database
        } operation: {
            EnvironmentScope.current.noteStore
        }
        #expect(own !== north.noteStore)
        try database.close()
        await scope.close()
    }

    /// What a test sets for one tenant alone lies between the application and the tenant's requests.
    @Test func whatATestSetsInATenantsScopeCountsForItsRequestsAlone() async throws {
        let scope = makeTestScope()
        let north = try #require(scope.tenants.all.first)
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        north.clock = { now }
        try await withServer(.ahc(), in: scope) { client in
            let northern = try await client.create("northern", as: .alice).decoded(as: Note.self)
            let southern = try await client.create("southern", as: .southernAlice).decoded(as: Note.self)
            #expect(northern.createdAt == now)
            #expect(southern.createdAt > now)
        }
    }

    @Test func aTenantThatWasEvictedComesBackWithItsNotes() async throws {
        try await withTemporaryDirectory { directory in
            let scope = makeTestScope { scope in
                scope.provide(\.database) { reader in
                    let database = try NotesDatabase(path: directory.appending(path: "\(reader.tenant).db").path)
                    reader.onClose { try database.close() }
                    return database
                }
            }
            try await withServer(.ahc(), in: scope) { client in
                _ = try await client.create("milk", as: .alice)
                let north = try #require(scope.tenants.all.first)
                let database = north.database
                await scope.tenants.evict(north.tenant)
                #expect(north.isClosed)
                await #expect(throws: (any Error).self) { try await database.read { try $0.execute(sql: "SELECT 1") } }
                #expect(try await client.list(as: .alice).map(\.text) == ["milk"])
            }
        }
    }

    /// As one that has taken the tenant's scope just before it was closed.
    @Test func aRequestThatFindsItsTenantClosedIsToldToAskAgain() async throws {
        let scope = makeTestScope()
        let north = try #require(scope.tenants.all.first)
        try await withServer(.ahc(), in: scope) { client in
            await north.close()
            try expectRefusal(try await client.send(.get, "/notes", as: .alice), status: 503)
            #expect(try await client.list(as: .southernAlice).isEmpty)
            await scope.tenants.evict(north.tenant)
            #expect(try await client.list(as: .alice).isEmpty)
        }
    }

    @Test func closingTheApplicationClosesTheDatabasesOfAllTenants() async throws {
        let scope = makeTestScope()
        let databases = scope.tenants.all.map(\.database)
        #expect(databases.count == 2)
        for database in databases { try await database.read { try $0.execute(sql: "SELECT 1") } }
        await scope.close()
        for database in databases {
            await #expect(throws: (any Error).self) { try await database.read { try $0.execute(sql: "SELECT 1") } }
        }
    }
}
