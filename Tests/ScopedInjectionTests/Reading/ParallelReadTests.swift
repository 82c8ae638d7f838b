import ScopedInjection
import Testing

extension ScopeValues { fileprivate static var kept: ScopeValue<Product> { .lazy { Product("\(try $0.port)") } } }

@Suite("R5: reads beside changes", .programRoots)
struct ParallelReadTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

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
        let kept = app.kept
        await onThreads(4) { index in
            for round in 0..<50_000 {
                switch (index, round % 2) {
                case (0, 0): app.host = "set"
                case (0, _): app.removeValue(for: \.host)
                default: if app.localValue(for: \.kept) !== kept { Issue.record("not found") }
                }
            }
        }
    }

    @Test("If several threads remove a value at once, exactly one of them gets it") func removedTwice() async {
        for _ in 0..<500 {
            app.anything = Product("one")
            let received = Box(0)
            await onThreads(2) { [app] _ in
                if let value = app.removeValue(for: \.anything), value != nil { received.update { $0 += 1 } }
            }
            if received.value != 1 { Issue.record("\(received.value) were given it") }
        }
    }
}
