import ScopedInjection
import ScopedInjectionTesting
import Testing

/// Tests with reads that have nothing to return and cannot throw.
///
/// Other suites run each in a process of its own.
@Suite(.inProcessOfItsOwn)
struct EndingTests {
    private let port = Injected(\.port, fileID: "Server/Client.swift", line: 42)
    private let token = Injected(\.token, fileID: "Server/Client.swift", line: 43)

    @Test(.scope(defaults: .forbidden)) func forbidden() { Issue.record("went on with \(port())") }

    @Test(.scope()) func missing() { Issue.record("went on with \(token())") }

    @Test(.scope()) func missingOnQueue() async {
        let bound = EnvironmentScope.current.bind { [token] in token() }
        Issue.record("went on with \(await onQueue(bound))")
    }

    @Test(.scope { $0.provide(\.host) { _ in Injected(\.token.text, fileID: "Server/Client.swift", line: 43)() } })
    func missingInBuilder() { Issue.record("went on with \(EnvironmentScope.current.host)") }

    @Test(.globalDefaults(.forbidden)) func inGlobal() { Issue.record("went on with \(port())") }

    @Test(.scope { $0.token = Token(text: "secret") }) func detached() async {
        let token = token
        Issue.record("went on with \(await Task.detached { token() }.value)")
    }
}
