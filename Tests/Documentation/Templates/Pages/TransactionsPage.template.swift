import ScopedInjection
import Testing

nonisolated private final class Transaction: Sendable {
    let path: String
    let added = Box<[String]>([])
    let end = Box("")

    let outer: Transaction?

    init(on database: any Database) { (path, outer) = (database.path, nil) }
    init(within outer: Transaction) { (path, self.outer) = (outer.path, outer) }

    func commit() async throws {
        if let outer { outer.added.update { [added = added.value] in $0 += added } }
        end.update { $0 = "committed" }
    }
    func rollBack() async throws { end.update { if $0.isEmpty { $0 = "rolled back" } } }
}

private final class Notes: Sendable {
    private let transaction: Transaction

    nonisolated init(_ transaction: Transaction) { self.transaction = transaction }

    func add(_ note: String) async throws { transaction.added.update { $0.append(note) } }
}

// ⟨Transactions.md: static var transaction⟩ nonisolated private

@Suite("Documentation: transactions")
struct TransactionsPage {
    private let app = EnvironmentScope("app", role: .application, parent: nil) { $0.databasePath = "a.db" }
    private let user = User(name: "Ada")

    @Test("A reload in the middle of a request leaves it its transaction")
    func reload() async throws {
        let used = Box<Transaction?>(nil)
        // ⟨Transactions.md: try await app.withChild("request"⟩
        await app.withChild("request", role: .request) {
            used.update { $0 = EnvironmentScope.current.transaction }
            #expect(EnvironmentScope.current.transaction.path == "b.db")
        }
        #expect(used.value?.end.value == "rolled back")
    }

    @Test("A part of a request has a transaction within the request's, and another one where it has the role")
    func nested() async throws {
        let request = EnvironmentScope.empty("request", role: .request, parent: app)
        try await request.notes.add("surely")
        let points = Box<[Transaction]>([])
        // ⟨Transactions.md: try await request.withChild("part")⟩
        #expect(request.transaction.added.value == ["surely", "maybe"])
        #expect(request.transaction.end.value.isEmpty)

        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await request.withChild("failing") {
                $0.decorate(\.transaction) { outer, reader in
                    let point = Transaction(within: outer)
                    points.update { $0.append(point) }
                    reader.onClose { try await point.rollBack() }
                    return point
                }
            } operation: {
                try await EnvironmentScope.current.notes.add("never")
                throw Failure()
            }
        }
        #expect(points.value.map(\.end.value) == ["rolled back"])
        #expect(request.transaction.added.value == ["surely", "maybe"])

        await request.withChild("audit", role: .request) {
            #expect(EnvironmentScope.current.transaction !== request.transaction)
        }
        await request.close()
        #expect(points.value.count == 1)
    }

    @Test("Two tasks of a request share its transaction, but for those that have the role")
    func tasks() async {
        let request = EnvironmentScope.empty("request", role: .request, parent: app)
        await request {
            async let first = EnvironmentScope.current.transaction
            async let second = EnvironmentScope.current.transaction
            #expect(await first === second)
            async let own = request.withChild("own", role: .request) { EnvironmentScope.current.transaction }
            #expect(await own !== request.transaction)
        }
        await request.close()
    }

    @Test("Parts of a request share its transaction, but for those that set another one")
    func parts() {
        let request = EnvironmentScope.empty("request", role: .request, parent: app)
        let memory = request.database
        // ⟨Transactions.md: let part⟩
    }
}
