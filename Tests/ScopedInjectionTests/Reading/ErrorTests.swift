import Foundation
import ScopedInjection
import Testing

private enum Disk: Error, Equatable, CustomStringConvertible {
    case full
    var description: String { "the disk is full" }
}

extension ScopeValues {
    fileprivate static let lineOfSecret = #line + 1
    fileprivate static var secret: ScopeValue<String> { .required() }
    fileprivate static var broken: ScopeValue<Int> { .lazy { _ in throw Disk.full } }
    fileprivate static var egg: ScopeValue<Int> { .lazy { try $0.hen } }
    fileprivate static var hen: ScopeValue<Int> { .lazy { try $0.egg } }
    fileprivate static var middle: ScopeValue<String> { .lazy { try $0.secret } }
    fileprivate static var outer: ScopeValue<String> { .lazy { try $0.middle } }
    fileprivate static var report: ScopeValue<String> { .lazy { "\(try $0.broken)" } }
    fileprivate static var session: ScopeValue<Int> { .lazy(.once(in: .request)) { $0.withCleanup(1) } }
    fileprivate static var pool: ScopeValue<Int> { .lazy { $0.withCleanup(1) } }
    fileprivate static var renamed: ScopeValue<String> { .required() }
    fileprivate static func key<Value: Sendable>(of type: Value.Type) -> ScopeValue<Value> {
        .required(id: ObjectIdentifier(type))
    }
}

/// The text without the line that says where the value is declared.
private func text(of error: ScopeError) -> String {
    error.description.split(separator: "\n").filter { !$0.contains("Declared at: ") }.joined(separator: "\n")
}

private let remedyOfSecret = """
    set it in one of these scopes (scope.secret = …), provide a builder (scope.provide(\\.secret) { … }), \
    or give it a default where it is declared.
    """

@Suite("R10: an error says what is missing, where it was searched and what to do", .programRoots)
struct ErrorTests {
    private let (app, request): (EnvironmentScope, EnvironmentScope)

    init() { (app, request) = makeScopes() }

    private func error<Value>(_ value: ValueName<Value>, in scope: EnvironmentScope) throws -> ScopeError {
        try #require(throws: ScopeError.self) { try scope.value(for: value) }
    }

    // MARK: Texts

    @Test("A missing value: its name, type and declaration, the scopes in order, and what to do")
    func missingValue() throws {
        let error = try error(\.secret, in: request)
        let whole = """
            No value for secret (String): nothing is set or provided, and it has no default.
              Searched: "request" → "app"
              To fix it: \(remedyOfSecret)
            """
        #expect(text(of: error) == whole)
        let place = "\n  Declared at: ScopedInjectionTests/ErrorTests.swift:\(ScopeValues.lineOfSecret)"
        #expect(error.description.contains(place))
    }

    @Test("A value that is needed by others: the values from the one asked for to the one that failed")
    func path() throws {
        let whole = """
            No value for secret (String): nothing is set or provided, and it has no default.
              Searched: "app"
              Needed by: outer → middle → secret
              To fix it: \(remedyOfSecret)
            """
        #expect(text(of: try error(\.outer, in: app)) == whole)
    }

    @Test("A cycle: all its values") func cycle() throws {
        let whole = """
            A cycle: egg (Int) needs itself to be built: egg → hen → egg.
              Searched: "app"
              To fix it: set one of these values, or let one of them hold an Injected reference, \
            which is read later.
            """
        #expect(text(of: try error(\.egg, in: app)) == whole)
    }

    @Test("A builder's failure: the text of the error that it threw") func makeFailed() throws {
        let whole = """
            The value for broken (Int) could not be built: the disk is full
              Searched: "app"
              To fix it: see the reason above; set broken where its builder cannot work.
            """
        #expect(text(of: try error(\.broken, in: app)) == whole)
    }

    @Test("A parent that is gone: its child, and the scopes that were searched") func parentReleased() throws {
        let session = EnvironmentScope.empty("session", parent: .empty("app", parent: nil))
        let request = EnvironmentScope.empty("request", parent: session)
        let error = try error(\.port, in: request)
        #expect(text(of: error).hasPrefix(#"No value for port (Int): "app", the parent of "session", is gone."#))
        #expect(error.searchedScopes == ["request", "session", "app"])
        #expect(error.description.hasSuffix("enter the child, or hold the parent."))
    }

    @Test("A closed scope: its name, and what work that outlives it needs; of a root, that it is closed too early")
    func closed() async throws {
        let request = EnvironmentScope.empty("request", role: .request, parent: app)
        await request.close()
        let whole = """
            The value for session (Int) cannot be built: "request" is closed, and the value has a cleanup.
              Searched: "request" → "app"
              To fix it: give work that outlives its scope one of its own (app.withChild { … }), or read the value \
            before the scope is closed.
            """
        #expect(text(of: try error(\.session, in: request)) == whole)
        await app.close()
        let otherText = """
            The value for pool (Int) cannot be built: "app" is closed, and the value has a cleanup.
              Searched: "app"
              To fix it: close "app" last, when nothing reads in it any more.
            """
        #expect(text(of: try error(\.pool, in: app)) == otherText)
    }

    @Test("Where no scope was entered: how to enter one") func global() throws {
        let whole = """
              Searched: "global"
              To fix it: enter a scope that has it (scope { … }; scope.bind carries it to a queue or a detached task), \
            or give it a default where it is declared.
            """
        #expect(try error(\.token, in: .global).description.hasSuffix(whole))
    }

    @Test("A forbidden default: the scope that forbids it; a value without a default is missing there, too")
    func defaultForbidden() throws {
        let test = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden)
        let part = EnvironmentScope.empty("part", parent: test)
        #expect(try error(\.token, in: part).code == .missingValue)
        let whole = """
            No value for port (Int): nothing is set or provided, and "test" forbids defaults.
              Searched: "part" → "test"
              To fix it: set it in one of these scopes (scope.port = …), provide a builder \
            (scope.provide(\\.port) { … }), or declare it with isSafeInTests: true if its default harms no test.
            """
        #expect(text(of: try error(\.port, in: part)) == whole)
    }

    @Test("A type is spelled as in source", arguments: 0..<7) func types(index: Int) throws {
        let expected = [
            "[String: [Token]]", "Error", "() -> Date", "(Int, URL)", "[User?]", "(() -> Date)?", "Clock<Duration>?",
        ]
        let errors = [
            try error({ $0.key(of: [String: [Token]].self) }, in: app),
            try error({ $0.key(of: (any Error).self) }, in: app),
            try error({ $0.key(of: (@Sendable () -> Date).self) }, in: app),
            try error({ $0.key(of: (Int, URL).self) }, in: app),
            try error({ $0.key(of: [User?].self) }, in: app),
            try error({ $0.key(of: (@Sendable () -> Date)?.self) }, in: app),
            try error({ $0.key(of: (any Clock<Duration>)?.self) }, in: app),
        ]
        let spelled = errors[index].valueType?.replacing("@Sendable ", with: "").replacing("any ", with: "").replacing(
            "(Clock<Duration>)",
            with: "Clock<Duration>"
        )
        #expect(spelled == expected[index])
        #expect(try error({ $0.key(of: [any Error].self) }, in: app).valueType == "[any Error]")
        #expect(errors[index].description.contains("No value for key (\(errors[index].valueType ?? "?"))"))
    }

    // MARK: Properties

    @Test("The properties of an error tell its parts") func properties() throws {
        let error = try error(\.report, in: request)
        #expect(error.code == .makeFailed && error.name == "broken" && error.valueType == "Int")
        #expect(error.searchedScopes == ["request", "app"] && error.path == ["report", "broken"])
        #expect(error.underlyingError as? Disk == .full && error.location?.line == UInt(ScopeValues.lineOfSecret + 1))
        #expect(error.reference == nil && error.failures.isEmpty)
    }

    @Test("If a builder replaces the failure of an input by its own, that is reported") func replacedFailure() throws {
        app.provide(\.host) { reader in do { return try reader.secret } catch { throw Disk.full } }
        let error = try error(\.host, in: app)
        #expect(error.code == .makeFailed && error.name == "host" && error.underlyingError as? Disk == .full)
    }

    @Test("The searched scopes are those of the read that failed, however many builders are on the way")
    func searchedElsewhere() throws {
        let vault = EnvironmentScope.empty("vault", parent: nil)
        app.provide(\.host) { _ in try vault.value(for: \.secret) }
        app.provide(\.renamed) { try $0.host }
        let error = try error(\.renamed, in: request)
        #expect(error.searchedScopes == ["vault"] && error.name == "secret")
    }
}

@Suite("R10: validate reports every value that does not resolve", .programRoots)
struct ValidateTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    @Test("Values that all resolve are built, and nothing is thrown") func valid() throws {
        app.secret = "secret"
        try app.validate(\.port, \.outer, \.user)
        #expect(app.localValue(for: \.outer) == "secret")
    }

    @Test("One that fails is thrown as its own error, and the others are built") func oneInvalid() throws {
        let error = try #require(throws: ScopeError.self) { try app.validate(\.secret, \.pool, \.host) }
        #expect(error.code == .missingValue && error.name == "secret" && error.failures.isEmpty)
        #expect(app.localValue(for: \.pool) == 1)
    }

    @Test("Several that fail are one error, in the order asked") func severalInvalid() throws {
        let error = try #require(throws: ScopeError.self) { try app.validate(\.broken, \.port, \.outer, \.egg) }
        #expect(error.code == .invalid && error.name == nil)
        #expect(error.failures.map(\.code) == [.makeFailed, .missingValue, .cycle])
        let lines = text(of: error).split(separator: "\n")
        let whole = """
            3 values cannot be had:
            1. The value for broken (Int) could not be built: the disk is full
                 Searched: "app"
            """
        #expect(lines.prefix(3).joined(separator: "\n") == whole)
        #expect(lines.count { $0.hasPrefix("2. No value for secret (String)") } == 1)
        #expect(lines.count { $0.hasPrefix("3. A cycle: egg (Int)") } == 1)
    }

    @Test("Without values, it builds all that is provided here and above") func everything() throws {
        let request = EnvironmentScope.empty("request", parent: app)
        app.provide(\.host) { "host \(try $0.port)" }
        request.provide(\.token) { Token(text: try $0.host) }
        try request.validate()
        #expect(app.localValue(for: \.host) == "host 8080")
        #expect(request.localValue(for: \.token)?.text == "host 8080")
        app.provide(\.port) { _ in throw Disk.full }
        let error = try #require(throws: ScopeError.self) { try request.validate() }
        #expect(Set(error.failures.map(\.name)) == ["port"])
    }
}
