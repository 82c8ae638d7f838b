import ScopedInjection
import Testing

extension ScopeValues {
    fileprivate static var greeting: ScopeValue<String> { .lazy { "Hello \(try $0.token.text)" } }
    fileprivate static var rock: ScopeValue<Int> { .lazy { try $0.paper } }
    fileprivate static var paper: ScopeValue<Int> { .lazy { try $0.rock } }
    fileprivate static var session: ScopeValue<Int> { .lazy(.once(in: .application)) { $0.withCleanup(1) } }
}

// An error names the line of the attribute.
private struct Client {
    static let lineOfToken: UInt = #line + 1
    @Injected(\.token) var token

    static let lineOfGreeting: UInt = #line + 1
    @Injected(\.greeting) var greeting
}

private final class Holder: Sendable {
    static let lineOfPort: UInt = #line + 1
    let port = Injected(\.port)
}

@Suite("R10: a read that cannot throw ends the program with the error's text", .programRoots)
struct MisuseTests {
    @Test("A value that is missing, read through a property: the whole text") func missingThroughProperty() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            let request = EnvironmentScope.empty("request", parent: app)
            app { _ = request.token }
        }
        expect(
            result,
            says: "Fatal error: No value for token (Token): nothing is set or provided, and it has no default.\n"
        )
        expect(result, says: #"  Searched: "request" → "app""#)
        expect(result, says: #"  To fix it: set it in one of these scopes (scope.token = …), provide a builder"#)
    }

    @Test("A value that is missing, read through a reference: the reference's line is named")
    func missingThroughReference() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let app = EnvironmentScope.empty("app", parent: nil)
            app { _ = Client().token }
        }
        expect(result, says: "No value for token (Token)")
        expect(result, says: "\n  Read by: the reference at \(#fileID):\(Client.lineOfToken)\n")
        expect(result, says: "\(#fileID):\(Client.lineOfToken): Fatal error: No value for token (Token)")
    }

    @Test("If an input is missing, the reference whose value is being built is named, and the values on the way")
    func missingInput() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            useProgramRoots()
            let app = EnvironmentScope.empty("app", parent: nil)
            app { _ = Client().greeting }
        }
        expect(result, says: "No value for token (Token)")
        expect(result, says: "Read by: the reference at \(#fileID):\(Client.lineOfGreeting)")
        expect(result, says: "Needed by: greeting → token")
    }

    @Test("A reference whose scope is gone") func scopeOfReferenceGone() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let holder = Holder()
            do {
                let scope = EnvironmentScope.empty("short-lived", parent: nil)
                scope.anything = holder
                scope.replaceInValues()
            }
            _ = holder.port()
        }
        let text = """
            The reference has no value: its scope "short-lived" is gone.
              Read by: the reference at \(#fileID):\(Holder.lineOfPort)
              To fix it: keep that scope for as long as the reference is read, or set the reference's scope anew.
            """
        expect(result, saysExactly: text)
    }

    /// A read that fails, and how its text begins.
    enum Failure: String, CaseIterable, Codable {
        case cycle = "A cycle: rock (Int) needs itself to be built: rock → paper → rock."
        case parentGone = #"No value for port (Int): "app", the parent of "request", is gone."#
        case forbidden = #"No value for port (Int): nothing is set or provided, and "test" forbids defaults."#
        case closed = #"The value for session (Int) cannot be built: "app" is closed, and the value has a cleanup."#

        func read() async {
            let app = EnvironmentScope.empty("app", role: .application, parent: nil)
            switch self {
            case .cycle: _ = app.rock
            case .parentGone: _ = EnvironmentScope.empty("request", parent: .empty("app", parent: nil)).port
            case .forbidden: _ = EnvironmentScope.empty("test", parent: nil, defaults: .forbidden).port
            case .closed:
                await app.close()
                _ = app.session
            }
        }
    }

    @Test("Every other failure", arguments: Failure.allCases) func otherFailures(_ failure: Failure) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [failure] in
            useProgramRoots()
            await failure.read()
        }
        expect(result, says: "Fatal error: \(failure.rawValue)\n")
    }
}
