import Forgettings
import ScopedInjection
import ScopedInjectionTesting
import Testing

// A program of tests that is not called as such, as Bazel and CMake make it.

struct Config: Sendable {
    var path = "live.db"
    var isOpen = false
}

extension ScopeValues {
    static var config: ScopeValue<Config> {
        .lazy(inTests: Config(path: "memory")) { _ in
            print("LOADED LIVE")
            return Config()
        }
    }
}

@Suite struct ForeignTests {
    @Test(.scope { $0.config.isOpen = true }) func part() { #expect(EnvironmentScope.current.config.path == "memory") }
    @Test(.scope()) func whole() { #expect(EnvironmentScope.current.config.path == "memory") }
}

await Testing.__swiftPMEntryPoint() as Never
