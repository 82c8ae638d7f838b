import Git
import ScopedInjection

// A placeholder is given, and a line written, where no test runs; an endpoint that throws throws.
let client: () throws -> String = unimplemented("client")
let answer: String = unimplemented("answer", placeholder: "a placeholder")
do {
    _ = try client()
} catch {
    print("\(error) \(answer)")
}
EnvironmentScope.global { $0.token = "secret" }
print(try Release().next(), Release().place, Release().maximum)

// No policy gives what is for tests where no test runs.
func outcome(of scope: EnvironmentScope) -> [String] {
    [{ "\(try scope.value(for: \.limit))" }, { try scope.value(for: \.token) }, { try scope.value(for: \.prefix) }].map
    {
        do { return try $0() } catch { return "\((error as? ScopeError).map { "\($0.code)" } ?? "?")" }
    }
}
print(outcome(of: .empty("strict", parent: nil, defaults: .forbidden)))
let reporting = EnvironmentScope.empty("reporting", parent: nil, defaults: .reported)
reporting.observe { print("event: \($0)") }
print(outcome(of: reporting), outcome(of: .empty("app", parent: nil)))
EnvironmentScope.global = .empty("nobody's", parent: nil, defaults: .forbidden)
print(outcome(of: .current))

// What has lost its scope finds the application, of which there is one at a time.
@Sendable func found() async -> String { await Task.detached { "\(EnvironmentScope.current.limit)" }.value }
await EnvironmentScope.withScope("shop", role: .application) {
    $0.limit = 7
} operation: { _ in
    print(await found())
    await EnvironmentScope.withScope("other", role: .application) {
        $0.limit = 8
    } operation: { _ in
        print(await found())
    }
}
