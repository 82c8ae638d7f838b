import ScopedInjection
import Testing

private struct Broken: Error, CustomStringConvertible { let description = "broken" }

extension ScopeValues {
    fileprivate static var plugins: ScopeValue<[String]> { .lazy { _ in ["core"] } }
    fileprivate static let lineOfPayments: UInt = #line + 1
    fileprivate static var payments: ScopeValue<String> { .lazy { _ in throw Broken() } }
    fileprivate static var shop: ScopeValue<String> { .lazy { "shop of \(try $0.payments)" } }
}

private let file = "ScopedInjectionTests/FailedPlaceTests.swift"

@Suite("R10: an error names the place of the builder that failed", .programRoots)
struct FailedPlaceTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    private func error<Value>(_ value: ValueName<Value>) throws -> ScopeError {
        try #require(throws: ScopeError.self) { try app.value(for: value) }
    }

    @Test("A provided builder that threw: where it was provided") func provided() throws {
        app.provide(\.payments, line: 15) { _ in throw Broken() }
        #expect(try error(\.payments).location?.line == 15)
        let text = """
            The value for payments (String) could not be built: broken
              Provided at: \(file):15
              Searched: "app"
              To fix it: see the reason above; set payments where its builder cannot work.
            """
        #expect(try error(\.payments).description == text)
    }

    @Test("Of several decorations, the one that threw") func decorated() throws {
        app.decorate(\.plugins, line: 12) { plugins, _ in plugins + ["audit"] }
        app.decorate(\.plugins, line: 13) { _, _ in throw Broken() }
        app.decorate(\.plugins, line: 14) { plugins, _ in plugins + ["metrics"] }
        #expect(try error(\.plugins).location?.line == 13)
        let text = """
            The value for plugins ([String]) could not be built: broken
              Decorated at: \(file):13
              Searched: "app"
              To fix it: see the reason above; set plugins where its builder cannot work.
            """
        #expect(try error(\.plugins).description == text)
    }

    @Test("Where what is decorated threw: its own place, provided, declared, or decorated further out")
    func below() throws {
        app.decorate(\.payments, line: 2) { payments, _ in payments }
        #expect(try error(\.payments).description.contains("\n  Declared at: \(file):\(ScopeValues.lineOfPayments)\n"))
        #expect(try error(\.payments).location?.line == ScopeValues.lineOfPayments)
        app.provide(\.payments, line: 3) { _ in throw Broken() }
        #expect(try error(\.payments).description.contains("\n  Provided at: \(file):3\n"))
        app.removeValue(for: \.payments)
        app.payments = "set"
        app.decorate(\.payments, line: 4) { _, _ in throw Broken() }
        let request = EnvironmentScope.empty("request", parent: app)
        request.decorate(\.payments, line: 5) { payments, _ in payments }
        let error = try #require(throws: ScopeError.self) { try request.value(for: \.payments) }
        #expect(error.description.contains("\n  Decorated at: \(file):4\n"))
    }

    @Test("A builder that reads what has failed: that place and its own, where it was given to a scope")
    func neededBy() throws {
        app.provide(\.payments, line: 15) { _ in throw Broken() }
        #expect(try error(\.shop).location?.line == 15)
        #expect(try error(\.shop).description.contains("\n  Needed by: shop → payments\n"))
        app.provide(\.plugins, line: 16) { [try $0.shop] }
        let text = """
            The value for payments (String) could not be built: broken
              Provided at: \(file):15
              Searched: "app"
              Needed by: plugins (provided at \(file):16) → shop → payments
              To fix it: see the reason above; set payments where its builder cannot work.
            """
        #expect(try error(\.plugins).description == text)
    }

    @Test("A decoration that lacks an input: where it reads; the path has the names") func decorationLacks() throws {
        app.decorate(\.plugins, line: 13) { plugins, _ in plugins }
        app.decorate(\.plugins, line: 14) { plugins, reader in plugins + [try reader.token.text] }
        let error = try error(\.plugins)
        #expect(error.path == ["plugins", "token"])
        #expect(error.code == .missingValue && error.location?.fileID != #fileID)
        #expect(error.description.contains("\n  Needed by: plugins (decorated at \(file):14) → token\n"))
    }

    @Test("A builder that reads its own value: its place, and that a decoration is given what it wraps")
    func wrapping() throws {
        let remedy = """
              To fix it: to build it from what it would be otherwise, call scope.decorate(\\.plugins) { inherited, reader in … }, \
            or scope.modify(\\.plugins) { … } for a part of it.
            """
        app.provide(\.plugins, line: 3) { try $0.plugins + ["audit"] }
        let text = """
            A cycle: plugins ([String]) needs itself to be built: plugins → plugins.
              Provided at: \(file):3
              Searched: "app"
            \(remedy)
            """
        #expect(try error(\.plugins).description == text)
        app.removeValue(for: \.plugins)
        app.decorate(\.plugins, line: 4) { _, reader in try reader.plugins }
        #expect(try error(\.plugins).description.contains("\n  Decorated at: \(file):4\n"))
        #expect(try error(\.plugins).description.hasSuffix(remedy))
    }

    @Test("A cycle that a builder has swallowed names that builder, whatever else has failed on the thread before")
    func swallowedCycle() throws {
        app.provide(\.payments, line: 21) { (try? $0.shop) ?? "swallowed" }
        for line in [22, 23] as [UInt] { app.decorate(\.payments, line: line) { payments, _ in payments + "!" } }
        #expect(try error(\.payments).location?.line == 21)
        app.decorate(\.plugins, line: 31) { plugins, _ in plugins }
        app.decorate(\.plugins, line: 32) { _, _ in throw Broken() }
        #expect(try error(\.plugins).location?.line == 32)
        #expect(try error(\.payments).location?.line == 21)
    }

    @Test("A program that ends names the places on the way, too") func ended() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil, defaults: .allowed)
            app.provide(\.payments, line: 15) { _ in Injected(\.token, fileID: "Shop/Pay.swift", line: 4)().text }
            _ = app.shop
        }
        expect(result, says: "\n  Needed by: shop → payments (provided at \(file):15) → token\n")
        expect(result, says: "Shop/Pay.swift:4: Fatal error: No value for token (Token)")
    }
}
