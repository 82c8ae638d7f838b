import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var log: ScopeValue<Log> { .lazy { _ in Log() } }
    fileprivate static var pool: ScopeValue<Product> { .lazy { try ended("pool", $0) } }
    fileprivate static var transaction: ScopeValue<Product> {
        .lazy(.once(in: .request)) { reader in
            _ = try reader.pool
            return try ended("transaction", reader)
        }
    }
    fileprivate static var repository: ScopeValue<Product> {
        .lazy { reader in
            _ = try reader.transaction
            return try ended("repository", reader)
        }
    }
    fileprivate static var report: ScopeValue<Product> {
        .lazy { reader in
            _ = try reader.repository
            return try ended("report", reader)
        }
    }

    private static func ended(_ name: String, _ reader: ScopeReader) throws -> Product {
        let log = try reader.log
        reader.onClose { log.add(name) }
        return Product(name)
    }
}

@Suite(
    "R11, R17: a discard takes along what was built from a value that stays and goes with it",
    .programRoots,
    .timeLimit(.minutes(20))
)
struct DiscardedBelowStayingTests {
    @Test("In the scope that keeps all of them, so that nobody waits for its closing")
    func sameScope() async {
        let job = EnvironmentScope.empty("job", role: .request, parent: nil)
        _ = job.report
        await job.discardBuiltValues(\.pool)
        #expect(job.log.lines == ["report", "repository", "transaction", "pool"])
    }

    @Test("Further in, where what stays is discarded")
    func furtherIn() async {
        let job = EnvironmentScope.empty("job", role: .request, parent: nil)
        let log = job.log
        let part = EnvironmentScope("part", parent: job) { $0.provide(\.log) { _ in log } }
        _ = part.report
        await job.discardBuiltValues(\.transaction)
        #expect(log.lines == ["report", "repository", "transaction"])
    }
}
