import Foundation
import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static let secret = ScopeValue<String>.required(name: "secret")
    fileprivate static let signer = ScopeValue<String>.required(name: "signer")
    fileprivate static let login = ScopeValue<String>.required(name: "login")
    fileprivate static let retries = ScopeValue(3, name: "retries")
    fileprivate static let attempts = ScopeValue<Int>.required(name: "attempts")
}
private let lineOfAttempts = #line - 2

@Suite("R10: scopes, types and paths in error texts")
struct ErrorTextTests {
    @Test("A parent that is gone: the text names the searched scopes, from the one that was asked")
    func parentReleased() throws {
        let session: EnvironmentScope
        do {
            let app = EnvironmentScope.empty("app", parent: nil)
            session = EnvironmentScope.empty("session", parent: app)
        }
        let request = EnvironmentScope.empty("request", parent: session)
        let error = try #require(throws: ScopeError.self) { try request.value(for: PortKey.self) }
        #expect(error.searchedScopes == [#""request""#, #""session""#, #""app" (gone)"#])
    }

    @Test("The searched scopes are those of the read that failed, however many builders are on the way")
    func searchedThroughAnotherScope() throws {
        let vault = EnvironmentScope.empty("vault", parent: nil)
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(\.signer) { _ in try vault.value(for: \.secret) + "!" }
        app.provide(\.login) { try $0.value(for: \.signer) + "?" }
        for key in [ScopeValues.signer, ScopeValues.login] {
            let error = try #require(throws: ScopeError.self) { try app.value(for: key) }
            #expect(error.searchedScopes == [#""vault""#])
        }
        let error = try #require(throws: ScopeError.self) { try app.value(for: \.login) }
        #expect(error.path == ["login", "signer", "secret"])
    }

    @Test("A default that a decorating builder may not use was needed by the value itself")
    func forbiddenForDecoration() throws {
        let scope = EnvironmentScope.empty("strict", parent: nil, defaults: .forbidden)
        scope.provide(\.retries) { try $0.inherited(\.retries) + 1 }
        let error = try #require(throws: ScopeError.self) { try scope.value(for: \.retries) }
        #expect(error.code == .defaultForbidden)
        #expect(error.path == ["retries", "retries"])
    }

    @Test("An alias is said to be one, and the text speaks of the value that it leads to")
    func alias() throws {
        let scope = EnvironmentScope.empty("app", parent: nil)
        scope.alias(\.retries, to: \.attempts)
        let error = try #require(throws: ScopeError.self) { try scope.value(for: \.retries) }
        #expect(
            error.description == """
                No value for retries (Int), an alias of attempts (Int): nothing is set or provided, and it has no default.
                  Declared at: ScopedInjectionTests/ErrorTextTests.swift:\(lineOfAttempts)
                  Searched: "app"
                  To fix it: set it in one of these scopes (scope.retries = …), provide a builder (scope.provide(\\.retries) { … \
                }), or give it a default where it is declared.
                """
        )
    }

    @Test("Type names read as in source, generic arguments included", arguments: 0..<3)
    func names(index: Int) throws {
        let scope = EnvironmentScope.empty(parent: nil)
        let read: [() throws -> Void] = [
            { _ = try scope.value(for: TokensKey.self) },
            { _ = try scope.value(for: RequiredKey<Token>.self) },
            { _ = try scope.value(for: RequiredKey<[Token]?>.self) },
        ]
        let error = try #require(throws: ScopeError.self) { try read[index]() }
        #expect(!error.description.contains("Swift."))
        #expect(!error.description.contains("ScopedInjectionTests."))
    }

    @Test("So do those of types that are declared within a type of another module")
    func nestedTypeNames() {
        #expect(ValueKey.key(of: [Int].InnerKey.self).name == "Array<Int>.InnerKey")
    }

    @Test("A program that ends for a missing input of a builder names the path of keys")
    func pathThroughProperties() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = EnvironmentScope.empty("app", parent: nil)[WelcomeKey.self]
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("WelcomeKey → TokenKey"))
    }

    @Test("The text for a reference whose scope is gone says so, without a question mark")
    func referenceGone() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let holder = Bearer()
            do {
                let scope = EnvironmentScope("short-lived", parent: nil) { $0[BearerKey.self] = holder }
                scope.replace(in: holder)
            }
            _ = holder.port()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(!text.contains("?"))
        #expect(!text.contains("hold the parent"))
    }

    @Test("The error of a read through another scope names the scopes that were searched there")
    func searchedElsewhere() throws {
        let other = EnvironmentScope.empty("other", parent: nil)
        let app = EnvironmentScope.empty("app", parent: nil)
        app.provide(PortKey.self) { _ in
            _ = try other.value(for: RequiredKey<Int>.self)
            return 1
        }
        let error = try #require(throws: ScopeError.self) {
            try EnvironmentScope.empty("request", parent: app).value(for: PortKey.self)
        }
        #expect(error.searchedScopes == [#""other""#])
    }

    @Test("The error of a build that a read waited for names the reader's own scopes")
    func sharedFailure() throws {
        // A waiting thread cannot be seen from outside, so there are several rounds.
        for _ in 0..<50 {
            let probe = Probe()
            let app = EnvironmentScope.empty("app", parent: nil)
            app.provide(PortKey.self) { _ in
                probe.noteBuild()
                throw CancellationError()
            }
            let found = Box<[String: [String]]>([:])
            @Sendable func read(in name: String) {
                let scope = EnvironmentScope.empty(name, parent: app)
                do throws(ScopeError) {
                    _ = try scope.value(for: PortKey.self)
                } catch {
                    found.update { $0[name] = error.searchedScopes }
                }
            }
            let first = onThread { read(in: "one") }
            probe.started.wait()
            let asked = Gate()
            let second = onThread {
                asked.open()
                read(in: "two")
            }
            asked.wait()
            for _ in 0..<10 { sched_yield() }
            probe.mayEnd.open()
            first.wait()
            second.wait()
            try #require(found.value == ["one": [#""one""#, #""app""#], "two": [#""two""#, #""app""#]])
        }
    }
}

private enum TokensKey: ScopeKey { typealias Value = [String: [Token]] }
private enum RequiredKey<Value: Sendable>: ScopeKey {}
private final class Bearer: Sendable { let port = Injected(\.port) }
private enum BearerKey: ScopeKey { typealias Value = Bearer? }
private enum WelcomeKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String { "Hello \(scope.token.text)" }
}

extension Array { fileprivate enum InnerKey: ScopeKey { static var defaultValue: Int { 0 } } }
