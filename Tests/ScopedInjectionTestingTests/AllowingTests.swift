import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("A test may allow the defaults of some values", .withoutIssues)
struct AllowingTests {
    @Test("By key path", .scope(allowing: \.limit, \.unit) { $0.port = 1 }) func byKeyPath() {
        #expect(EnvironmentScope.current.limit == 100)
        #expect(EnvironmentScope.current.unit == "EUR")
        #expect(EnvironmentScope.current.port == 1)
    }

    @Test("By a closure", .scope(allowing: \.limit, { $0.flag("beta") })) func byValue() {
        #expect(EnvironmentScope.current.limit == 100)
        #expect(!EnvironmentScope.current[ScopeValues.flag("beta")])
    }

    @Test("For reads that can throw and in scopes below", .scope(defaults: .forbidden, allowing: \.limit))
    func throwing() throws {
        #expect(try EnvironmentScope.current.value(for: \.limit) == 100)
        #expect(try EnvironmentScope.empty("below").value(for: \.limit) == 100)
    }

    @Test("No other values are allowed", .scope(defaults: .forbidden, allowing: \.limit, strictness: .off))
    func others() throws {
        let error = try #require(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.unit) }
        #expect(error.code == .defaultForbidden)
    }

    @Test("An allowed value is the live one, though tests have one of their own", .scope(allowing: \.retries))
    func live() { #expect(EnvironmentScope.current.retries == 5) }

    @Suite(.scope(allowing: \.limit))
    struct OfSuite {
        @Test("What a suite allows and what its test allows add up", .scope(allowing: \.unit)) func both() {
            #expect(EnvironmentScope.current.limit == 100)
            #expect(EnvironmentScope.current.unit == "EUR")
        }
    }

    @Suite("Below a parent that several tests share")
    struct Shared {
        private static let parent = EnvironmentScope("shared", parent: nil, defaults: .forbidden) { scope in
            scope.provide(\.host) { reader in (try? reader.limit).map { "up to \($0)" } ?? "no limit" }
        }

        @Test("It is allowed for this test", .scope(parent: parent, allowing: \.limit), arguments: 0..<20)
        func allowing(_ number: Int) { #expect(EnvironmentScope.current.host == "up to 100") }

        @Test("It is not allowed for that one", .scope(parent: parent, strictness: .off), arguments: 0..<20)
        func others(_ number: Int) {
            #expect(EnvironmentScope.current.host == "no limit")
            #expect(Self.parent.host == "no limit")
        }
    }
}
