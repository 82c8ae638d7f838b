import Foundation
import ScopedInjection
import Testing

private struct Handler {
    @Injected(\.greeting) var greeting
}

extension ScopeValues {
    fileprivate static let greeting = ScopeValue(name: "greeting") { scope in "Hello \(scope.token.text)" }
}

extension ScopeValues {
    fileprivate static let hen: ScopeValue<Int> = ScopeValue(name: "hen") { scope in try scope.value(for: \.egg) }
    fileprivate static let egg: ScopeValue<Int> = ScopeValue(name: "egg") { scope in try scope.value(for: \.hen) }
}

extension ScopeValues {
    fileprivate static let chick: ScopeValue<Deferred<Int>> = ScopeValue { scope in
        Deferred { try await scope.chick() }
    }
}

extension ScopeValues { fileprivate static let adminPort = ScopeValue(8081, name: "adminPort") }

private enum LimitKey: ScopeKey { typealias Value = Int }

private struct PortInUse: Error, CustomStringConvertible {
    var description: String { "the port is in use" }
}

private func makeRequest() -> EnvironmentScope {
    let app = EnvironmentScope.empty("app", parent: nil)
    return EnvironmentScope.empty("request", parent: app)
}

private final class Mailer: Sendable { let port = Injected(\.port) }
extension ScopeValues { fileprivate static let mailer = ScopeValue<Mailer?>() }

private final class Client: Sendable {
    let scope: EnvironmentScope
    init(_ scope: EnvironmentScope) { self.scope = scope }
}
extension ScopeValues { fileprivate static let client = ScopeValue { scope in Client(scope) } }

/// Each test runs the program of a section and compares its text with the one on the page.
@Suite("Documentation: errors")
struct ErrorsPage {
    private let page: Page

    init() throws { page = try Page(article: "Errors") }

    // MARK: Errors that are thrown

    @Test func missingValue() async throws {
        await expect("A value is missing", code: .missingValue) {
            let app = EnvironmentScope.empty("app", parent: nil)
            let request = EnvironmentScope.empty("request", parent: app)
            _ = try request.value(for: \.token)
        }
    }

    @Test func missingValueOfAKeyType() async throws {
        await expect("The value of a key type is missing", code: .missingValue) {
            let app = EnvironmentScope.empty("app", parent: nil)
            _ = try app.value(for: LimitKey.self)
        }
    }

    @Test func cycle() async throws {
        await expect("A value needs itself", code: .cycle) {
            let app = EnvironmentScope.empty("app", parent: nil)
            _ = try app.value(for: \.hen)
        }
    }

    @Test func deferredCycle() async throws {
        await expect("A deferred value waits for itself", code: .cycle) {
            let app = EnvironmentScope.empty("app", parent: nil)
            _ = try await app.chick()
        }
    }

    @Test func makeFailed() async throws {
        await expect("A builder threw", code: .makeFailed) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(\.port) { _ in throw PortInUse() }
            _ = try app.value(for: \.port)
        }
    }

    @Test func parentReleased() async throws {
        await expect("The parent is gone", code: .parentReleased) {
            let request = makeRequest()
            _ = try request.value(for: \.port)
        }
    }

    @Test func closed() async throws {
        await expect("The scope is closed", code: .closed) {
            let app = EnvironmentScope.empty("app", parent: nil)
            await app.close()
            _ = try app.value(for: \.port)
        }
    }

    @Test func defaultForbidden() async throws {
        await expect("A default is forbidden", code: .defaultForbidden) {
            let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
            _ = try test.value(for: \.port)
        }
    }

    @Test func severalValues() async throws {
        await expect("Several values do not resolve", code: .invalid) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(\.port) { _ in throw PortInUse() }
            try app.validate(\.port, \.host, \.token)
        }
    }

    // MARK: Errors that end the program

    @Test func missingInput() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app { _ = Handler().greeting }
        }
        expect("An input is missing", result)
    }

    @Test func aliases() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.alias(\.port, to: \.adminPort)
            app.alias(\.adminPort, to: \.port)
        }
        expect("Aliases go round in a circle", result)
    }

    @Test func referenceReleased() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let mailer = Mailer()
            do {
                let scope = EnvironmentScope("short-lived", parent: nil) { $0.mailer = mailer }
                scope.replace(in: mailer)
            }
            _ = mailer.port()
        }
        expect("The scope of a reference is gone", result)
    }

    @Test func valueOutlivedItsScope() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let client = EnvironmentScope.empty("app", parent: nil).client
            _ = client.scope.port
        }
        expect("A value outlived the scope that built it", result)
    }

    @Test func builderChangesScope() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(\.host) { scope in
                scope.port = 1
                return "localhost"
            }
            _ = app.host
        }
        expect("A builder changes its scope", result)
    }

    @Test func movedBelowBuilder() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            let shared = EnvironmentScope.empty("shared", parent: app)
            app.provide(\.host) { scope in
                shared.parent = scope
                return shared.host
            }
            _ = app.host
        }
        expect("A scope is put below the scope of a builder", result)
    }

    @Test func ownParent() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.parent = app
        }
        expect("A scope becomes its own parent", result)
    }

    @Test func ownAncestor() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            let request = EnvironmentScope.empty("request", parent: app)
            app.parent = request
        }
        expect("A scope becomes its own ancestor", result)
    }

    @Test func parentOfGlobal() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            EnvironmentScope.global.parent = EnvironmentScope.empty("app", parent: nil)
        }
        expect("The global scope is given a parent", result)
    }

    @Test func globalWithParent() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            EnvironmentScope.global = EnvironmentScope.empty("app")
        }
        expect("A scope with a parent becomes the global one", result)
    }

    @Test func globalThatIsGone() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let client = EnvironmentScope.empty("app", parent: nil).client
            EnvironmentScope.global = client.scope
        }
        expect("A scope that is gone becomes the global one", result)
    }

    @Test("Every section with a text has a test here, by its heading")
    func complete() throws {
        let source = try Repository.lines(of: "Tests/ScopedInjectionTests/Documentation/ErrorsPage.swift")
        let headings = Set(page.blocks.filter { $0.language == "text" }.map(\.heading))
        for heading in headings {
            #expect(source.contains { $0.contains("expect(\"\(heading)\"") }, "nothing runs '\(heading)'")
        }
        #expect(headings.count == 20)
    }

    // MARK: Comparing

    /// Expects a program to throw the text below a heading of the page.
    private func expect(_ heading: String, code: ScopeError.Code, _ program: () async throws -> Void) async {
        do {
            try await program()
            Issue.record("'\(heading)' throws nothing")
        } catch {
            #expect((error as? ScopeError)?.code == code)
            #expect(throws: Never.self) { try compare("\(error)", heading) }
        }
    }

    /// Expects a program to have ended with the text below a heading of the page.
    private func expect(_ heading: String, _ result: ExitTest.Result?) {
        let written = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(throws: Never.self) {
            let start = try #require(written.range(of: "Fatal error: "), "it wrote: \(written)")
            // The crash report follows the text; it starts with an empty line.
            let rest = written[start.upperBound...]
            let expected = try page.text(below: heading)
            let lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
            try compare(lines.prefix(expected.split(separator: "\n").count).joined(separator: "\n"), heading)
        }
    }

    private func compare(_ text: String, _ heading: String) throws {
        // The page shows file names of its readers.
        let place = /DocumentationTests\/ErrorsPage\.swift:\d+/
        let text = text.replacing(place, with: "Notes/Handler.swift:4")
            .replacing("DocumentationTests/Vocabulary.swift", with: "Notes/Values.swift")
        let expected = try page.text(below: heading)
        #expect(text == expected)
    }
}
