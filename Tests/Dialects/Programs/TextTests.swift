import ScopedInjection
import Testing

private nonisolated struct Broken: Error, CustomStringConvertible { let description = "broken" }

nonisolated extension ScopeValues {
    fileprivate static let lineOfPlugins: UInt = #line + 1
    fileprivate static var plugins: ScopeValue<[String]> { .lazy(isSafeInTests: true) { _ in ["core"] } }
    fileprivate static var payments: ScopeValue<String> { .required() }
    fileprivate static var visitor: ScopeValue<String> { .value("nobody", isSafeInTests: true) }
    fileprivate static var greeting: ScopeValue<String> { .lazy(isSafeInTests: true) { "hello \(try $0.visitor)" } }
    fileprivate static var letter: ScopeValue<String> { .lazy(isSafeInTests: true) { "\(try $0.greeting)!" } }
    fileprivate static let lineOfLink: UInt = #line + 2
    fileprivate static var link: ScopeValue<Deferred<Int>> {
        .lazy(isSafeInTests: true) { _ in Deferred { throw Broken() } }
    }
}

private nonisolated let file = #fileID

@Suite("What texts say, with their places")
struct TextTests {
    private nonisolated let app = EnvironmentScope.empty("app", parent: nil)

    @Test("A builder that was provided, and threw")
    func provided() throws {
        app.provide(\.payments) { _ in throw Broken() }
        let line = #line - 1
        let error = try #require(throws: ScopeError.self) { try app.value(for: \.payments) }
        #expect(
            error.description == """
                The value for payments (String) could not be built: broken
                  Provided at: \(file):\(line)
                  Searched: "app"
                  To fix it: see the reason above; set payments where its builder cannot work.
                """
        )
    }

    @Test("A decoration that lacks an input")
    func decorated() throws {
        app.decorate(\.plugins) { plugins, reader in plugins + [try reader.payments] }
        let line = #line - 1
        let error = try #require(throws: ScopeError.self) { try app.value(for: \.plugins) }
        #expect(error.description.contains("\n  Needed by: plugins (decorated at \(file):\(line)) → payments\n"))
    }

    @Test("A builder that reads its own value")
    func wrapping() throws {
        app.provide(\.plugins) { try $0.plugins + ["audit"] }
        let line = #line - 1
        let error = try #require(throws: ScopeError.self) { try app.value(for: \.plugins) }
        #expect(
            error.description == """
                A cycle: plugins ([String]) needs itself to be built: plugins → plugins.
                  Provided at: \(file):\(line)
                  Searched: "app"
                  To fix it: to build it from what it would be otherwise, call scope.decorate(\\.plugins) { inherited, reader in … }, \
                or scope.modify(\\.plugins) { … } for a part of it.
                """
        )
    }

    @Test("Why a value is kept in a request, and by way of what")
    func kept() {
        let request = EnvironmentScope("request", parent: app) { $0.visitor = "Ada" }
        #expect(request.letter == "hello Ada!")
        #expect(
            request.explain(\.letter).description.contains(
                "\n  kept in \"request\" because visitor (String), by way of greeting, is set there\n"
            )
        )
        #expect(app.plugins == ["core"])
        let explanation = app.explain(\.plugins)
        let place = "\(file):\(ScopeValues.lineOfPlugins)"
        #expect(explanation.description.contains(": its own default (\(place)), built and kept in \"app\"\n"))
        #expect(explanation.keptBecause == "no scope decides on anything that it was built from")
    }

    @Test("A deferred value that failed")
    func deferred() async throws {
        let error = try #require(await failure { try await app.link() } as? ScopeError)
        #expect(
            error.description == """
                The value for link (Deferred<Int>) could not be built: broken
                  Declared at: \(file):\(ScopeValues.lineOfLink)
                  Searched: "app"
                  To fix it: see the reason above; set link where its builder cannot work.
                """
        )
        #expect(app.explain(\.link).description.contains(", failed with broken"))
    }

    private func failure(_ body: () async throws -> Int) async -> (any Error)? {
        do { _ = try await body() } catch { return error }
        return nil
    }

    @Test("What is provided twice")
    func providedTwice() async {
        let events = Events()
        app.observe { events.add("\($0)") }
        app.provide(\.payments) { _ in "first" }
        app.provide(\.payments) { _ in "second" }
        let line = #line - 1
        #expect(
            events.all == [
                "payments (String) was provided twice in \"app\": at \(file):\(line - 1), and then at \(file):\(line), which counts"
            ]
        )
    }
}

private nonisolated final class Events: @unchecked Sendable {
    // Sendable because one thread uses it.
    private(set) var all: [String] = []
    func add(_ text: String) { all.append(text) }
}
