import ScopedInjection
import Synchronization
import Testing

extension ScopeValues {
    fileprivate static var first: ScopeValue<Int> { .value(0) }
    fileprivate static var second: ScopeValue<Int> { .value(0) }
    fileprivate static var restless: ScopeValue<String> { .required() }
    fileprivate static var onIt: ScopeValue<String> { .lazy { "on \(try $0.restless)" } }
    fileprivate static var onThat: ScopeValue<String> { .lazy { "on \(try $0.onIt)" } }
}

@Suite("R5: a read ends after a few runs of a builder whose inputs keep changing")
struct EndTests {
    private let app = EnvironmentScope.empty("app", parent: nil)
    private let runs = Box(0)

    /// Provides a value that changes what it has read while it is built.
    private func provideRestless() {
        app.provide(\.restless) { [unowned app, runs] reader in
            let first = try reader.first
            runs.update { $0 += 1 }
            elsewhere { app.first += 1 }
            return "\(first)"
        }
    }

    @Test("One input that changes after it was read gives a value of one moment, which is not kept")
    func oneInput() {
        provideRestless()
        #expect(app.restless == "3")
        #expect(runs.value == 4)
        #expect(app.localValue(for: \.restless) == nil)
        #expect(app.restless == "7")
    }

    @Test("Values built from such a value end as soon, too")
    func nested() {
        provideRestless()
        #expect(app.onThat == "on on \(app.first - 1)")
        #expect(runs.value <= 6)
        #expect(app.localValue(for: \.onThat) == nil)
    }

    @Test("Several inputs that change between the reads of each run are an error, which says so")
    func severalInputs() {
        app.provide(\.restless) { [unowned app, runs] reader in
            runs.update { $0 += 1 }
            let first = try reader.first
            elsewhere { app.first += 1 }
            return "\(first) \(try reader.second)"
        }
        let error = #expect(throws: ScopeError.self) { try app.value(for: \.restless) }
        #expect(error?.code == .invalid)
        #expect(error?.description.contains("What restless is built from has changed each time") == true)
        #expect(runs.value == 4)
    }

    @Test("An error that is thrown in the last run is given")
    func failure() {
        struct Broken: Error {}
        app.provide(\.restless) { [unowned app, runs] reader in
            _ = try reader.first
            runs.update { $0 += 1 }
            elsewhere { app.first += 1 }
            throw Broken()
        }
        let error = #expect(throws: ScopeError.self) { try app.value(for: \.restless) }
        #expect(error?.code == .makeFailed)
        #expect(runs.value == 4)
    }
}
