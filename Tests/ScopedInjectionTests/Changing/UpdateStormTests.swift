import ScopedInjection
import Synchronization
import Testing

/// What is opened and closed by many threads.
private final class Connection: Sendable {
    let left: Int
    let right: Int
    private let counts: Counts
    private let isClosed = Atomic(false)

    init(_ left: Int, _ right: Int, _ counts: Counts) {
        (self.left, self.right, self.counts) = (left, right, counts)
        counts.opened.add(1, ordering: .relaxed)
    }

    func close() {
        if isClosed.exchange(true, ordering: .relaxed) { counts.closedTwice.add(1, ordering: .relaxed) }
        counts.closed.add(1, ordering: .relaxed)
    }
}

private final class Counts: Sendable {
    let opened = Atomic(0)
    let closed = Atomic(0)
    let closedTwice = Atomic(0)
    let mixed = Atomic(0)
    let updates = Atomic(0)
    let refused = Atomic(0)
    let next = Atomic(0)
}

extension ScopeValues {
    fileprivate static var counts: ScopeValue<Counts> { .required() }
    fileprivate static var left: ScopeValue<Int> { .value(0) }
    fileprivate static var right: ScopeValue<Int> { .value(0) }
    fileprivate static var connection: ScopeValue<Connection> {
        .lazy { reader in
            _ = try reader.file
            let connection = Connection(try reader.left, try reader.right, try reader.counts)
            reader.onClose { connection.close() }
            if connection.left % 7 == 6 { throw TooMany() }
            return connection
        }
    }
    fileprivate static var onConnection: ScopeValue<[Connection]> {
        .lazy {
            _ = try $0.labels
            return [try $0.connection]
        }
    }
}

@Suite("R18: many threads read, set, update and discard", .programRoots, .timeLimit(.minutes(10)))
struct UpdateStormTests {
    @Test("No read sees a part of an update, and what is opened is closed once") func storm() async {
        let counts = Counts()
        let app = EnvironmentScope("app", parent: nil) { $0.counts = counts }
        _ = app.onConnection
        await onThreads(6) { [app] thread in
            for round in 0..<300 {
                switch thread {
                case 0, 1: Self.update(app, counts)
                case 2:
                    app.file = "\(round % 3)"
                    if round % 5 == 0 { try? app.update(rebuilding: \.connection) { _ in } }
                case 3 where round % 10 == 0:
                    waitFor { await app.discardBuiltValues(\.connection) }
                default: Self.read(app, counts, round)
                }
            }
        }
        await app.close()
        // What an update has built that failed is no part of the scope, and may end after that has been closed.
        while counts.opened.load(ordering: .relaxed) != counts.closed.load(ordering: .relaxed) { await Task.yield() }
        #expect(counts.mixed.load(ordering: .relaxed) == 0)
        #expect(counts.closedTwice.load(ordering: .relaxed) == 0)
        #expect(counts.updates.load(ordering: .relaxed) > 0 && counts.refused.load(ordering: .relaxed) > 0)
    }

    private static func update(_ app: EnvironmentScope, _ counts: Counts) {
        let number = counts.next.wrappingAdd(1, ordering: .relaxed).newValue
        do {
            try app.update {
                ($0.left, $0.right) = (number, number)
                if number % 5 == 0 { $0.labels = ["\(number % 2)"] }
            }
            counts.updates.add(1, ordering: .relaxed)
        } catch { counts.refused.add(1, ordering: .relaxed) }
    }

    private static func read(_ app: EnvironmentScope, _ counts: Counts, _ round: Int) {
        let request = EnvironmentScope("request", parent: app) { if round % 4 == 0 { $0.file = "own" } }
        for scope in [request, app] {
            guard let connection = try? scope.value(for: \.onConnection).first else { continue }
            if connection.left != connection.right || connection.left % 7 == 6 {
                counts.mixed.add(1, ordering: .relaxed)
            }
        }
        waitFor { await request.close() }
    }
}
