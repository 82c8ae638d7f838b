import Foundation
import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var greeting: ScopeValue<String> { .lazy { "Hello \(try $0.token.text)" } }
}

private struct Greeter: Sendable {
    @Injected(\.greeting) var greeting
}

extension ScopeValues {
    fileprivate static var hen: ScopeValue<Int> { .lazy { try $0.egg } }
    fileprivate static var egg: ScopeValue<Int> { .lazy { try $0.hen } }
}

nonisolated private final class Basket: Sendable {}

extension ScopeValues {
    fileprivate static var basket: ScopeValue<Basket> { .lazy(.once(in: .request)) { _ in Basket() } }
}

extension ScopeValues {
    fileprivate static func toggle(_ name: String) -> ScopeValue<Bool> { .value(false) }
    fileprivate static let storedLimit = ScopeValue<Int>.value(1)
    fileprivate static var graph: ScopeValue<Int> { .value(1) }
}

private struct PortInUse: Error, CustomStringConvertible { let description = "the port is in use" }

private func makeRequest() -> EnvironmentScope {
    let app = EnvironmentScope.empty("app", parent: nil)
    return EnvironmentScope.empty("request", parent: app)
}

/// The program of a section of the page, which throws.
private struct Program: Sendable, CustomTestStringConvertible {
    let (testDescription, code): (String, ScopeError.Code)
    let run: @Sendable () async throws -> Void

    init(_ heading: String, _ code: ScopeError.Code, _ run: @escaping @Sendable () async throws -> Void) {
        (testDescription, self.code, self.run) = (heading, code, run)
    }
}

private let programs = [
    Program("A value is missing", .missingValue) {
        // ⟨Errors.md: let app⟩
    },
    Program("An input is missing", .missingValue) {
        let app = EnvironmentScope.empty("app", parent: nil)
        _ = try app { try Greeter().$greeting.value() }
    },
    Program("A value needs itself", .cycle) {
        let app = EnvironmentScope.empty("app", parent: nil)
        _ = try app.value(for: \.hen)
    },
    Program("A builder threw", .makeFailed) {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.port) { _ in throw PortInUse() }
        _ = try app.value(for: \.port)
    },
    Program("No scope has the role", .roleMissing) {
        _ = try EnvironmentScope.empty("app", parent: nil).value(for: \.basket)
    },
    Program("The parent is gone", .parentReleased) {
        let request = makeRequest()
        _ = try request.value(for: \.port)
    },
    Program("The scope is closed", .closed) {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.database) { reader in
            reader.onClose {}
            return try SQLite(path: reader.databasePath)
        }
        await app.close()
        _ = try app.value(for: \.database)
    },
    Program("A default is forbidden", .defaultForbidden) {
        let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        _ = try test.value(for: \.port)
    },
    Program("Several values do not resolve", .invalid) {
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.port) { _ in throw PortInUse() }
        try app.validate(\.port, \.host, \.token)
    },
]

/// Each test runs the program of a section and compares its text with the one on the page.
@Suite("Documentation: errors")
struct ErrorsPage {
    private let page: Page

    init() throws { page = try Page(article: "Errors") }

    @Test("A program throws the text of its section", arguments: programs)
    private func thrown(_ program: Program) async throws {
        let error = try await #require(throws: ScopeError.self) { try await program.run() }
        #expect(error.code == program.code)
        try compare("\(error)", program.testDescription)
    }

    // MARK: Errors that end the program

    @Test func currentScope() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(\.host) { _ in EnvironmentScope.current.name ?? "" }
            _ = app.host
        }
        try expect("A builder asks for the current scope", result)
    }

    @Test func parameters() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ScopeValues.toggle("dark")
        }
        try expect("A declaration has parameters and no id", result)
    }

    @Test func stored() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ScopeValues.storedLimit
        }
        try expect("A declaration is a stored property", result)
    }

    @Test func takenName() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ScopeValues.graph
        }
        try expect("A value is named like a member", result)
    }

    // MARK: The page

    @Test("Every section with a text has a program here, by its heading")
    func complete() throws {
        let source = try ProjectFiles.lines(of: "Tests/Documentation/Templates/Pages/ErrorsPage.template.swift")
        let headings = Set(page.blocks.filter { $0.language == "text" }.map(\.heading))
        for heading in headings {
            #expect(source.contains { $0.contains("(\"\(heading)\"") }, "nothing runs '\(heading)'")
        }
        #expect(headings.count == 13)
    }

    /// Expects a program to have ended with the text below a heading of the page.
    private func expect(_ heading: String, _ result: ExitTest.Result?) throws {
        let written = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let start = try #require(written.range(of: "Fatal error: "), "it wrote: \(written)")
        // The crash report follows the text; its lines are not indented.
        let lines = written[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
        let text = lines.prefix(1) + lines.dropFirst().prefix { $0.hasPrefix("  ") }
        try compare(text.joined(separator: "\n"), heading)
    }

    private func compare(_ text: String, _ heading: String) throws {
        // The page shows places of its readers.
        let text = try text.replacing(/Pages\/ErrorsPage\.template\.swift:\d+/, with: "Notes/Handler.swift:4")
            .replacing(/Pages\/(Vocabulary\.template\.swift|DeclaringValues\.md):(\d+)/) {
                "Notes/Values.swift:\(try line($0.1, $0.2))"
            }
        // It breaks long lines, and shows the first and those that matter.
        var shown = try words(page.text(below: heading))[...]
        for (number, line) in text.split(separator: "\n").enumerated() {
            if shown.starts(with: words(line)) {
                shown.removeFirst(words(line).count)
            } else if number == 0 {
                break
            }
        }
        #expect(shown.isEmpty, "the text is: \(text)")
    }

    private func words(_ text: some StringProtocol) -> [String] {
        String(text).split { $0.isWhitespace }.map(String.init)
    }

    /// The line that a value has in the file of a reader, by the place in the article or in the template that declares it.
    private func line(_ file: Substring, _ number: Substring) throws -> Int {
        let folder = file.hasSuffix(".md") ? ProjectFiles.catalog : "Tests/Documentation/Templates/Pages"
        let lines = try ProjectFiles.lines(of: "\(folder)/\(file)").prefix(#require(Int(number)))
        // A declaration may go on for some lines.
        let names = lines.suffix(2).compactMap { $0.firstMatch(of: /static var (\w+):/)?.1 }
        let readers: [Substring: Int] = ["port": 7, "database": 9, "token": 11, "host": 15]
        return try #require(names.last.flatMap { readers[$0] }, "\(file):\(number) declares no value of the page")
    }
}
