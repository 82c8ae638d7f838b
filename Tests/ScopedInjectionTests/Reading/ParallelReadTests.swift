import ScopedInjection
import Testing

private enum KeptKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Product { Product("\(scope.port)") }
}

@Suite("R5: reads beside changes, and by code that ends a value")
struct ParallelReadTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    @Test("A builder, a deinit and a cleanup may use any scope")
    func reentrancy() async {
        final class Reader: Sendable {
            let scope: EnvironmentScope
            let seen: Box<Int>
            init(_ scope: EnvironmentScope, _ seen: Box<Int>) {
                self.scope = scope
                self.seen = seen
            }
            deinit {
                let port = scope.port
                seen.value = port
                scope.host = "set in deinit"
            }
        }
        enum ReaderKey: ScopeKey { typealias Value = Reader? }
        let other = EnvironmentScope("other", parent: app) { $0.port = 3 }
        let seen = Box(0)
        app[ReaderKey.self] = Reader(other, seen)
        app[ReaderKey.self] = nil
        #expect(seen.value == 3)
        #expect(other.host == "set in deinit")

        app[ReaderKey.self] = Reader(other, Box(0))
        app.removeValue(for: ReaderKey.self)
        app.onClose { [app] in app.port = app.port + 1 }
        await app.close()
        #expect(app.port == 8081)
    }

    @Test("Readers on many threads see one of the values that were set, never anything else")
    func readersAndWriters() async {
        app.host = String(repeating: "a", count: 100)
        let request = EnvironmentScope.empty(parent: app)
        await onThreads(6) { index in
            for round in 0..<2000 {
                if index == 0 {
                    app.host = String(repeating: round % 2 == 0 ? "a" : "b", count: 100)
                } else {
                    let host = index % 2 == 0 ? app.host : request.host
                    if host.count != 100 || Set(host).count != 1 { Issue.record("torn: \(host)") }
                }
            }
        }
    }

    @Test("A value that a scope keeps is found there while others in it come and go")
    func keptWhileOthersChange() async {
        let kept = app[KeptKey.self]
        await onThreads(4) { index in
            for round in 0..<50_000 {
                switch (index, round % 2) {
                case (0, 0): app.host = "set"
                case (0, _): app.removeValue(for: HostKey.self)
                default:
                    if app.localValue(for: KeptKey.self) !== kept { Issue.record("not found") }
                }
            }
        }
    }

    @Test("A first read works at every depth of the stack")
    func everyStackDepth() {
        @Sendable func read(_ depth: Int) -> Int {
            // Half a kilobyte for each frame, so that the reads come from different parts of the stack.
            withUnsafeTemporaryAllocation(byteCount: 512, alignment: 16) { _ in
                let scope = EnvironmentScope.empty(parent: nil)
                return scope.port + (depth == 0 ? 0 : read(depth - 1))
            }
        }
        #expect(elsewhere { read(200) } == 201 * 8080)
    }
}
