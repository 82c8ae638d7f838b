import ScopedInjection
import Testing

nonisolated private final class Transaction: Sendable {
    let path: String
    let added = Box<[String]>([])
    let end = Box("")

    init(on database: any Database) { path = database.path }

    func commit() async throws { end.update { $0 = "committed" } }
    func rollBack() async throws { end.update { if $0.isEmpty { $0 = "rolled back" } } }
}

private final class Notes: Sendable {
    private let transaction: Transaction

    nonisolated init(_ transaction: Transaction) { self.transaction = transaction }

    func add(_ note: String) async throws { transaction.added.update { $0.append(note) } }
}

nonisolated private final class Session: Sendable {
    let user: User?
    init(of user: User?) { self.user = user }
}

// ⟨RequestLife.md: static var tenant⟩ nonisolated private

// ⟨RequestLife.md: static var transaction⟩ nonisolated private

// ⟨RequestLife.md: static var session⟩ nonisolated private

@Suite("Documentation: what a request lives through")
struct RequestLifePage {
    private let app = EnvironmentScope("app", role: .application, parent: nil) { $0.databasePath = "a.db" }
    private let user = User(name: "Ada")

    @Test("A reload in the middle of a request leaves it its transaction")
    func reload() async throws {
        let used = Box<Transaction?>(nil)
        // ⟨RequestLife.md: try await app.withChild("request"⟩
        await app.withChild("request", role: .request) {
            used.update { $0 = EnvironmentScope.current.transaction }
            #expect(EnvironmentScope.current.transaction.path == "b.db")
        }
        #expect(used.value?.end.value == "rolled back")
    }

    @Test("Parts of a request share its transaction, but for those that set another one")
    func parts() {
        let request = EnvironmentScope.empty("request", role: .request, parent: app)
        let memory = request.database
        // ⟨RequestLife.md: let part⟩
    }

    @Test("Messages of a connection share its session, and each has a transaction of its own")
    func connections() async throws {
        let tenant = EnvironmentScope.empty("acme", role: .tenant, parent: app)
        let messages = AsyncStream<String> { continuation in
            for message in ["one", "two"] { continuation.yield(message) }
            continuation.finish()
        }
        let answers = Box<[(session: Session, transaction: Transaction)]>([])
        func answer(_ message: String) async throws {
            let scope = EnvironmentScope.current
            let used = (scope.session, scope.transaction)
            answers.update { $0.append(used) }
        }
        // ⟨RequestLife.md: try await tenant.withChild⟩
        let (first, second) = (answers.value[0], answers.value[1])
        #expect(first.session === second.session)
        #expect(first.session.user?.name == "Ada")
        #expect(first.transaction !== second.transaction)
    }
}
