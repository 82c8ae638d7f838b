import Dispatch
import Foundation
import ScopedInjection
import Synchronization
import Testing

extension ScopeValues {
    fileprivate static var high: ScopeValue<Int> { .value(0) }
    fileprivate static var low: ScopeValue<Int> { .value(0) }
    fileprivate static var own: ScopeValue<Int> { .value(0) }
    fileprivate static var pair: ScopeValue<Pair> {
        .lazy { Pair(high: try $0.high, low: try $0.low, own: try $0.own) }
    }
    fileprivate static var page: ScopeValue<Pair> { .lazy { try $0.pair } }
    fileprivate static var mine: ScopeValue<Pair> { .lazy(.once(in: .request)) { try $0.page } }
    fileprivate static var ofMine: ScopeValue<Pair> { .lazy { try $0.mine } }
    fileprivate static func numbered(_ number: Int) -> ScopeValue<Int> {
        .lazy(id: number) { try $0.pair.high + number }
    }
}

private final class Pair: Sendable {
    let high: Int
    let low: Int
    let own: Int

    init(high: Int, low: Int, own: Int) { (self.high, self.low, self.own) = (high, low, own) }
}

/// One application, changed by a thread of its own while others make, close and drop scopes below it.
@Suite("R2, R5, R11: reads on several threads see one moment, and nothing of another request", .programRoots)
struct ThreadedProgramTests {
    #if DEBUG
        private static let rounds = 400
    #else
        private static let rounds = 4_000
    #endif

    /// `high` is set before `low`, to the same number; so a read never sees a `low` that is higher.
    @Test("Reads of an application that changes are explained by a moment", arguments: 0..<3)
    func moments(seed: Int) async {
        let app = EnvironmentScope("app", parent: nil) { $0.high = 0 }
        let failures = Failures()
        let rounds =
            ProcessInfo.processInfo.environment["SCOPED_INJECTION_MODEL_ROUNDS"].flatMap { Int($0) } ?? Self.rounds
        let threads = DispatchGroup()
        start(in: threads) { change(app, rounds, seed) }
        for reader in 1...4 { start(in: threads) { read(app, reader, rounds, seed, failures) } }
        await withCheckedContinuation { continuation in threads.notify(queue: .global()) { continuation.resume() } }
        #expect(failures.first == nil)
    }
}

private final class Failures: Sendable {
    private let texts = Mutex<[String]>([])
    var first: String? { texts.withLock { $0.first } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }

    /// What a read gives; nil where its inputs have changed between the reads of each of its runs, which R5 makes an error.
    func given<Value>(_ read: () throws -> Value) -> Value? {
        do {
            return try read()
        } catch let error as ScopeError where error.code == .invalid {
            if !error.description.contains("has changed each time while it was built") { add(error.description) }
        } catch {
            add("\(error)")
        }
        return nil
    }
}

private func start(in threads: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
    threads.enter()
    let thread = Thread {
        body()
        threads.leave()
    }
    thread.stackSize = 1 << 21
    thread.start()
}

private func change(_ app: EnvironmentScope, _ rounds: Int, _ seed: Int) {
    for round in 1...rounds {
        app.high = round
        app.low = round
        if round % 31 == seed { app.provide(\.own) { try -$0.high } }
        if round % 37 == 0 { app.removeValue(for: \.own) }
        if round % 41 == 0 { app.decorate({ $0.numbered(1) }) { inherited, _ in inherited } }
    }
}

private func read(
    _ app: EnvironmentScope,
    _ reader: Int,
    _ rounds: Int,
    _ seed: Int,
    _ failures: Failures
) {
    let id = reader * 1_000_000
    for round in 1...rounds {
        let own = id + round
        let request = EnvironmentScope("request", role: .request, parent: app) {
            $0.own = own
            if round % 5 == seed { $0.onClose {} }
        }
        request {
            let current = EnvironmentScope.current
            let pairs = [
                failures.given { try current.value(for: \.pair) },
                failures.given { try current.value(for: \.page) },
                failures.given { try current.value(for: \.mine) },
                failures.given { try current.value(for: \.ofMine) },
            ]
            for pair in pairs.compactMap(\.self) {
                if pair.own != own { failures.add("request \(own) was given \(pair.own)") }
                if pair.low > pair.high { failures.add("two moments: \(pair.high), \(pair.low)") }
            }
        }
        let child = EnvironmentScope("child", parent: request) { if round % 3 == 0 { $0.high = -1 } }
        // What could not be begun, because its inputs have changed, another read may begin.
        if let mine = failures.given({ try request.value(for: \.mine) }),
            let other = failures.given({ try child.value(for: \.mine) }), mine !== other
        {
            failures.add("a child was given another value than stays in its request")
        }
        if round % 3 == 0, let page = failures.given({ try child.value(for: \.page) }), page.high != -1 {
            failures.add("a child was given \(page.high)")
        }
        if let number = failures.given({ try app.value(for: { $0.numbered(round % 4) }) }), number < round % 4 {
            failures.add("a family gave a value of another one")
        }
        if round % 11 == 0 { _ = (child.explain(\.mine).description, app.graph.nodes.count) }
        if round % 13 == 0 {
            DispatchQueue.global().async(
                execute: request.bind { _ = failures.given { try EnvironmentScope.current.value(for: \.page) } }
            )
        }
        if round % 5 == seed { Task { await request.close() } }
    }
}
