import ScopedInjection
import Testing

/// Calls a closure when it goes.
private final class Sink: Sendable {
    let name: String
    private let farewell: Box<(@Sendable () -> Void)?>
    init(_ name: String, _ farewell: Box<(@Sendable () -> Void)?>) {
        self.name = name
        self.farewell = farewell
    }
    deinit { farewell.value?() }
}

extension ScopeValues {
    fileprivate static let text = ScopeValue("text")
    fileprivate static let sink = ScopeValue<Sink>.required()
    fileprivate static let logger = ScopeValue<String>.required()
    fileprivate static let worker = ScopeValue<Log>.required()
}

@Suite("R2, R3: a value that goes while another one is built")
struct FarewellTests {
    private let app, alice, bob: EnvironmentScope
    private let farewell = Box<(@Sendable () -> Void)?>(nil)

    init() {
        (app, alice, bob) = makeRequests()
        app.provide(\.sink) { [farewell] scope in Sink(scope.text, farewell) }
    }

    @Test("If its deinit reads the value that is being built, that is no cycle of the value")
    func readsWhatIsBuilt() {
        defer { farewell.value = nil }
        let farewells = Box(0)
        farewell.value = { [app] in
            _ = try? app.value(for: \.logger)
            farewells.update { $0 += 1 }
        }
        app.provide(\.logger) { scope in "\(scope.text) \(scope.sink.name)" }
        app.text = "one"
        #expect(app.logger == "one one")
        app.text = "two"
        #expect((try? app.value(for: \.logger)) == "two two")
        #expect(farewells.value == 1)
    }

    @Test("What its deinit reads is no input")
    func readsAreNoInputs() {
        defer { farewell.value = nil }
        let seen = Box<[String?]>([])
        farewell.value = {
            let person = EnvironmentScope.current.person
            seen.update { $0.append(person) }
        }
        app.provide(\.worker) { scope in
            _ = scope.text
            _ = scope.sink
            return Log()
        }
        app.text = "one"
        _ = alice.worker
        app.text = "two"
        _ = alice.worker
        #expect(seen.value == ["alice"])
        #expect(app.localValue(for: \.worker) != nil)
        #expect(alice.worker === bob.worker)
    }
}
