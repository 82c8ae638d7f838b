import ScopedInjection
import Synchronization
import Testing

private final class Pool: Sendable {
    struct Counts: Sendable {
        var opened = 0
        var closed = 0
        var queries = 0
        var onClosed = 0
    }

    let counts: Box<Counts>
    private let isClosed = Atomic(false)

    init(_ counts: Box<Counts>) {
        self.counts = counts
        counts.update { $0.opened += 1 }
    }

    func query() {
        let isLate = isClosed.load(ordering: .sequentiallyConsistent)
        counts.update { ($0.queries, $0.onClosed) = ($0.queries + 1, $0.onClosed + (isLate ? 1 : 0)) }
    }

    func close() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        counts.update { $0.closed += 1 }
    }
}

extension ScopeValues {
    fileprivate static var counts: ScopeValue<Box<Pool.Counts>> { .required() }
    fileprivate static var address: ScopeValue<Int> { .value(0) }
    fileprivate static var tenant: ScopeValue<Int> { .value(0) }
    fileprivate static var pool: ScopeValue<Pool> {
        .lazy { reader in
            _ = (try reader.address, try reader.tenant)
            let pool = Pool(try reader.counts)
            reader.onClose {
                await Task.yield()
                pool.close()
            }
            return pool
        }
    }
}

@Suite("R11: no query meets a closed pool, whatever tenants and addresses do", .programRoots, .timeLimit(.minutes(10)))
struct PoolsUnderLoadTests {
    #if DEBUG
        private static let requests = 400
    #else
        private static let requests = 3_000
    #endif

    private let counts = Box(Pool.Counts())
    private let tenants = Box<[Int: EnvironmentScope]>([:])

    private func tenant(_ number: Int, of app: EnvironmentScope) -> EnvironmentScope {
        tenants.update { tenants in
            if let known = tenants[number], !known.isClosing { return known }
            let new = EnvironmentScope("tenant", parent: app) { $0.tenant = number }
            tenants[number] = new
            return new
        }
    }

    /// Uses a pool in a request that belongs to a tenant; false if the tenant has closed meanwhile.
    private func serve(_ number: Int, of app: EnvironmentScope) async throws -> Bool {
        do {
            try await tenant(number, of: app).withChild("request") {
                let pool = try EnvironmentScope.current.value(for: \.pool)
                for _ in 0..<3 {
                    pool.query()
                    await Task.yield()
                }
                try EnvironmentScope.current.value(for: \.pool).query()
            }
            return true
        } catch let error as ScopeError where error.code == .closed { return false }
    }

    @Test("Four tasks of requests, one that evicts, and one that sets addresses") func load() async throws {
        try await EnvironmentScope.withScope("app") { [counts] in
            $0.counts = counts
        } operation: { app in
            try await withThrowingTaskGroup(of: Int.self) { group in
                let isOver = Box(false)
                for task in 0..<4 {
                    group.addTask {
                        var served = 0
                        for round in 0..<Self.requests where try await serve((task + round) % 3, of: app) {
                            served += 1
                        }
                        return served
                    }
                }
                let others = [
                    Task {
                        var round = 0
                        while !isOver.value {
                            round += 1
                            let number = round % 3
                            if let evicted = tenants.update({ $0.removeValue(forKey: number) }) {
                                await evicted.close()
                            }
                            await Task.yield()
                        }
                    },
                    Task {
                        var address = 0
                        while !isOver.value {
                            address += 1
                            if address % 2 == 0 { app.address = address } else { tenants.value[0]?.address = address }
                            await Task.yield()
                        }
                    },
                ]
                let served = try await group.reduce(0, +)
                isOver.value = true
                for other in others { await other.value }
                for tenant in tenants.value.values { await tenant.close() }
                #expect(served > 0)
            }
        }
        let all = counts.value
        #expect(all.queries > 0 && all.onClosed == 0)
        #expect(all.opened == all.closed)
    }
}
