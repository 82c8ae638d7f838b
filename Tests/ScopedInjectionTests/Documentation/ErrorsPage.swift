import Foundation
import ScopedInjection
import Testing

private struct Handler {
    @Injected(GreetingKey.self) var greeting
}
private enum GreetingKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String { "Hello \(scope.token.text)" }
}

private enum HenKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Int { try scope.value(for: EggKey.self) }
}
private enum EggKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) throws -> Int { try scope.value(for: HenKey.self) }
}

private enum AdminPortKey: ScopeKey { static let defaultValue = 8081 }

private struct PortInUse: Error, CustomStringConvertible {
    var description: String { "the port is in use" }
}

private func makeRequest() -> EnvironmentScope {
    let app = EnvironmentScope.empty("app", parent: nil)
    return EnvironmentScope.empty("request", parent: app)
}

private final class Mailer: Sendable { let port = Injected(\.port) }
private enum MailerKey: ScopeKey { typealias Value = Mailer? }

private final class Client: Sendable {
    let scope: EnvironmentScope
    init(_ scope: EnvironmentScope) { self.scope = scope }
}
private enum ClientKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Client { Client(scope) }
}

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
            _ = try request.value(for: TokenKey.self)
        }
    }

    @Test func cycle() async throws {
        await expect("A value needs itself", code: .cycle) {
            let app = EnvironmentScope.empty("app", parent: nil)
            _ = try app.value(for: HenKey.self)
        }
    }

    @Test func makeFailed() async throws {
        await expect("A builder threw", code: .makeFailed) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(PortKey.self) { _ in throw PortInUse() }
            _ = try app.value(for: PortKey.self)
        }
    }

    @Test func parentReleased() async throws {
        await expect("The parent is gone", code: .parentReleased) {
            let request = makeRequest()
            _ = try request.value(for: PortKey.self)
        }
    }

    @Test func closed() async throws {
        await expect("The scope is closed", code: .closed) {
            let app = EnvironmentScope.empty("app", parent: nil)
            await app.close()
            _ = try app.value(for: PortKey.self)
        }
    }

    @Test func defaultForbidden() async throws {
        await expect("A default is forbidden", code: .defaultForbidden) {
            let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
            _ = try test.value(for: PortKey.self)
        }
    }

    @Test func severalKeys() async throws {
        await expect("Several keys have no value", code: .invalid) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(PortKey.self) { _ in throw PortInUse() }
            try app.validate(PortKey.self, HostKey.self, TokenKey.self)
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
            app.alias(PortKey.self, to: AdminPortKey.self)
            app.alias(AdminPortKey.self, to: PortKey.self)
        }
        expect("Aliases go round in a circle", result)
    }

    @Test func referenceReleased() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let mailer = Mailer()
            do {
                let scope = EnvironmentScope("short-lived", parent: nil) { $0[MailerKey.self] = mailer }
                mailer.port.scope = scope
            }
            _ = mailer.port()
        }
        expect("The scope of a reference is gone", result)
    }

    @Test func valueOutlivedItsScope() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let client = EnvironmentScope.empty("app", parent: nil)[ClientKey.self]
            _ = client.scope.port
        }
        expect("A value outlived the scope that built it", result)
    }

    @Test func builderChangesScope() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(HostKey.self) { scope in
                scope.port = 1
                return "localhost"
            }
            _ = app.host
        }
        expect("A builder changes its scope", result)
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
            let client = EnvironmentScope.empty("app", parent: nil)[ClientKey.self]
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
        #expect(headings.count == 17)
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
            // What follows the text is the crash report, which starts with an empty line.
            let rest = written[start.upperBound...]
            let expected = try page.text(below: heading)
            let lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
            try compare(lines.prefix(expected.split(separator: "\n").count).joined(separator: "\n"), heading)
        }
    }

    private func compare(_ text: String, _ heading: String) throws {
        // The page names a file of its readers.
        let place = /ScopedInjectionTests\/ErrorsPage\.swift:\d+/
        #expect(try text.replacing(place, with: "Notes/Handler.swift:4") == page.text(below: heading))
    }
}
