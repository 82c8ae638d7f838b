import Foundation
import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var caller: ScopeValue<String> { .value("nobody") }
    fileprivate static var late: ScopeValue<Product> { .required() }
}

extension WaitingTests {
    @Test("A first build that has read what its request decides holds up no other request") func movedInwards() {
        let (started, mayEnd) = (Gate(), Gate())
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.late) { reader in
            let caller = try reader.caller
            if caller == "first" {
                started.open()
                mayEnd.wait()
            }
            return Product(caller)
        }
        let requests = ["first", "second"].map { name in
            EnvironmentScope("request", parent: app) { $0.caller = name }
        }
        let first = onThread { #expect(requests[0].late.text == "first") }
        started.wait()
        // It would wait for ever.
        #expect(requests[1].late.text == "second")
        mayEnd.open()
        first.wait()
    }

    @Test("A first build that waited for another one holds up no other request") func movedInwardsLater() {
        let (probe, asked, mayEnd) = (Probe(), Gate(), Gate())
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.late) { reader in
            probe.noteBuild()
            let caller = try reader.caller
            if caller == "first" { mayEnd.wait() }
            return Product(caller)
        }
        let requests = ["first", "second"].map { name in
            EnvironmentScope("request", parent: app) { $0.caller = name }
        }
        let first = onThread { #expect(requests[0].late.text == "first") }
        probe.started.wait()
        let second = onThread {
            asked.open()
            #expect(requests[1].late.text == "second")
        }
        asked.wait()
        for _ in 0..<10 { sched_yield() }
        probe.mayEnd.open()
        // It would wait for ever.
        second.wait()
        mayEnd.open()
        first.wait()
    }
}
