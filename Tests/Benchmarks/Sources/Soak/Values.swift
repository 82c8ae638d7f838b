import ScopedInjection
import Synchronization

/// What the soak counts; everything else that it needs is a value.
final class Tally: Sendable {
    static let shared = Tally()

    private let objects = Atomic(0)
    private let cleanups = Atomic(0)
    private let wrong = Mutex<[String: Int]>([:])

    /// The objects that are alive.
    var living: Int { objects.load(ordering: .sequentiallyConsistent) }
    /// The cleanups that were registered and have not run.
    var open: Int { cleanups.load(ordering: .sequentiallyConsistent) }
    /// What went wrong, and how often.
    var complaints: [String: Int] { wrong.withLock { $0 } }

    func count(living change: Int) { objects.wrappingAdd(change, ordering: .sequentiallyConsistent) }
    func count(open change: Int) { cleanups.wrappingAdd(change, ordering: .sequentiallyConsistent) }
    func complain(_ text: String) { wrong.withLock { $0[text, default: 0] += 1 } }

    func expect<Value: Equatable>(_ found: Value, _ expected: Value, _ what: StaticString) {
        if found != expected { complain("\(what)") }
    }
}

/// An object that is counted, and knows for whom it was made.
final class Part: Sendable {
    let owner: Int

    init(_ owner: Int) {
        self.owner = owner
        Tally.shared.count(living: 1)
    }

    deinit { Tally.shared.count(living: -1) }
}

extension ScopeReader {
    /// Registers a cleanup that the tally counts.
    func countCleanup() {
        Tally.shared.count(open: 1)
        onClose { Tally.shared.count(open: -1) }
    }
}

extension ScopeValues {
    static var user: ScopeValue<Int> { .value(0) }
    static var configuration: ScopeValue<Int> { .value(0) }
    static var pool: ScopeValue<Part> {
        .lazy { reader in
            reader.countCleanup()
            return Part(try reader.configuration)
        }
    }
    static var session: ScopeValue<Part> {
        .lazy(.once(in: .request)) { reader in
            reader.countCleanup()
            _ = try reader.pool
            return Part(try reader.user)
        }
    }
    static var service: ScopeValue<Part> { .lazy { Part(try $0.session.owner) } }
    static var stamp: ScopeValue<Part> { .lazy(.transient) { Part(try $0.user) } }
    static var page: ScopeValue<Part> { .lazy { Part(try $0.service.owner + $0.stamp.owner) } }
    static var connection: ScopeValue<Deferred<Part>> {
        .lazy { reader in
            let pool = try reader.pool
            return reader.deferred {
                Tally.shared.count(open: 1)
                return Part(pool.owner)
            } onClose: { _ in
                Tally.shared.count(open: -1)
            }
        }
    }
    static func tenant(_ number: Int) -> ScopeValue<Part> { .lazy(id: number) { _ in Part(number) } }
}
