import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate var notStatic: ScopeValue<Int> { ScopeValue(1) }
}

@Suite("R10: a read that cannot throw ends the program with the error's text")
struct MisuseTests {
    @Test("A required value that is missing, read through a property")
    func missingThroughProperty() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            let request = EnvironmentScope.empty("request", parent: app)
            app { _ = request.token }
        }
        expect(
            result,
            saysExactly: """
                No value for TokenKey (Token): nothing is set or provided, and the key has no default.
                  Searched: "request" → "app"
                  To fix it: set it in one of these scopes (scope[TokenKey.self] = …), provide a builder \
                (scope.provide(TokenKey.self) { … }), or give the key a defaultValue.
                """
        )
    }

    @Test("A value that is declared without static")
    func withoutStatic() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = EnvironmentScope.empty("app", parent: nil).notStatic
        }
        expect(
            result,
            saysExactly: "A value in an extension of ScopeValues has to be static, because ScopeValues has no instances"
        )
    }

    @Test("A required value that is missing, read through a reference: the reference's line is named")
    func missingThroughReference() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app { _ = Client().token }
        }
        expect(
            result,
            saysExactly: """
                No value for TokenKey (Token): nothing is set or provided, and the key has no default.
                  Read by: the reference at \(#fileID):\(Client.lineOfToken)
                  Searched: "app"
                  To fix it: set it in one of these scopes (scope[TokenKey.self] = …), provide a builder \
                (scope.provide(TokenKey.self) { … }), or give the key a defaultValue.
                """
        )
    }

    @Test("A required value that is missing, read by an observer: the build that it is told of is not named")
    func missingForObserver() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app.observe { [unowned app] _ in _ = app.token }
            _ = app.port
        }
        expect(
            result,
            saysExactly: """
                No value for TokenKey (Token): nothing is set or provided, and the key has no default.
                  Searched: "app"
                  To fix it: set it in one of these scopes (scope[TokenKey.self] = …), provide a builder \
                (scope.provide(TokenKey.self) { … }), or give the key a defaultValue.
                """
        )
    }

    @Test("A required value that is missing, read through a reference to one of its properties")
    func missingThroughKeyPath() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app { _ = Client().text }
        }
        expect(result, says: "No value for TokenKey (Token)")
        expect(result, says: "Read by: the reference at \(#fileID):\(Client.lineOfText)")
    }

    @Test("A required value that is missing, read through a stored key path")
    func missingThroughStoredKeyPath() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let path: any KeyPath<EnvironmentScope, String> & Sendable = \.token.text
            let text = Injected(keyPath: path, fileID: "Any/File.swift", line: 7)
            let app = EnvironmentScope.empty("app", parent: nil)
            app { _ = text() }
        }
        expect(result, says: "No value for TokenKey (Token)")
        expect(result, says: "Read by: the reference at Any/File.swift:7")
    }

    @Test("A reference to a key type names its line too")
    func missingThroughKey() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app { _ = Client().byKey() }
        }
        expect(result, says: "Read by: the reference at \(#fileID):\(Client.lineOfKey)")
    }

    @Test("If an input is missing, the reference whose value is being built is named")
    func missingInput() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app { _ = Client().greeting }
        }
        expect(result, says: "No value for TokenKey (Token)")
        expect(result, says: "Read by: the reference at \(#fileID):\(Client.lineOfGreeting)")
    }

    @Test("An error that a builder threw")
    func throwingBuilder() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scope = EnvironmentScope.empty("app", parent: nil)
            scope.provide(PortKey.self) { _ in throw PortInUse() }
            _ = scope.port
        }
        expect(
            result,
            saysExactly: """
                The value for PortKey (Int) could not be built: the port is in use
                  Searched: "app"
                  To fix it: see the reason above; set PortKey where its builder cannot work.
                """
        )
    }

    @Test("A cycle through properties")
    func cycleThroughProperties() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = EnvironmentScope.empty("app", parent: nil).rock
        }
        expect(
            result,
            saysExactly: """
                A cycle: RockKey (Int) needs itself to be built: RockKey → PaperKey → ScissorsKey → RockKey.
                  Searched: "app"
                  To fix it: set one of these values, or let one of them hold an Injected reference, \
                which is read later.
                """
        )
    }

    @Test("A parent that is gone")
    func parentGone() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let request: EnvironmentScope
            do {
                let app = EnvironmentScope.empty("app", parent: nil)
                request = EnvironmentScope.empty("request", parent: app)
            }
            _ = request.port
        }
        expect(result, says: #"No value for PortKey (Int): "app", the parent of "request", is gone."#)
    }

    @Test("A reference whose scope is gone")
    func scopeOfReferenceGone() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let holder = Holder()
            do {
                let scope = EnvironmentScope("short-lived", parent: nil) { $0[HolderKey.self] = holder }
                scope.replace(in: holder)
            }
            _ = holder.port()
        }
        expect(
            result,
            saysExactly: """
                The reference has no value: its scope "short-lived" is gone.
                  Read by: the reference at \(#fileID):\(Holder.lineOfPort)
                  To fix it: keep that scope for as long as the reference is read, or set the reference's scope anew.
                """
        )
    }

    @Test("A default that is forbidden")
    func forbiddenDefault() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden).port
        }
        expect(
            result,
            saysExactly: """
                No value for PortKey (Int): nothing is set or provided, and "test" forbids defaults.
                  Searched: "test"
                  To fix it: set it in one of these scopes (scope[PortKey.self] = …), provide a builder \
                (scope.provide(PortKey.self) { … }), or declare it with isSafeInTests: true if its default \
                harms no test.
                """
        )
    }

    @Test("A value that would have to be built in a closed scope")
    func closedScope() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scope = EnvironmentScope.empty("app", parent: nil)
            await scope.close()
            _ = scope.port
        }
        expect(
            result,
            saysExactly: """
                The value for PortKey (Int) cannot be built: "app" is closed.
                  Searched: "app"
                  To fix it: read the value before the scope is closed, or ask a scope that is open.
                """
        )
    }
}

// MARK: - Values of the tests

private struct PortInUse: Error, CustomStringConvertible {
    var description: String { "the port is in use" }
}

// An error names the line of the attribute.
private struct Client {
    static let lineOfToken: UInt = #line + 1
    @Injected(\.token) var token

    static let lineOfText: UInt = #line + 1
    @Injected(\.token.text) var text

    static let lineOfKey: UInt = #line + 1
    let byKey = Injected(key: TokenKey.self)

    static let lineOfGreeting: UInt = #line + 1
    @Injected(\.greeting) var greeting
}

private final class Holder: Sendable {
    static let lineOfPort: UInt = #line + 1
    let port = Injected(\.port)
}

private enum HolderKey: ScopeKey { typealias Value = Holder? }

private enum GreetingKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> String { "Hello \(scope.token.text)" }
}

private enum RockKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Int { scope.paper }
}

private enum PaperKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Int { scope.scissors }
}

private enum ScissorsKey: ScopeKey {
    static func makeValue(in scope: EnvironmentScope) -> Int { scope.rock }
}

extension EnvironmentScope {
    fileprivate var greeting: String { self[GreetingKey.self] }
    fileprivate var rock: Int { self[RockKey.self] }
    fileprivate var paper: Int { self[PaperKey.self] }
    fileprivate var scissors: Int { self[ScissorsKey.self] }
}
