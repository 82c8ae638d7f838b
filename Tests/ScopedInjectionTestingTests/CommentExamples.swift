import ScopedInjection
import ScopedInjectionTesting
import Testing

// The comments of the library print these.

extension ScopeValues {
    fileprivate static let unit = ScopeValue("EUR")
    fileprivate static let limit = ScopeValue(100)
}

@Test(.scope { $0.database = InMemory() })
func savesANote() {
    NoteStore().add("milk")
    #expect(EnvironmentScope.current.database.notes == ["milk"])
}

@Suite(.scope(defaults: .forbidden) { $0.database = InMemory() })
struct NoteTests {
    @Injected(\.database) var database

    @Test(.scope { $0.user = User(name: "Ada") })
    func startsEmpty() { #expect(database.notes == []) }
}

@Suite(.scope(strictness: .failures) { $0.database = InMemory() })
struct StrictTests {
    @Test(.scope(strictness: ScopeStrictness(survivors: .off))) func startsAServer() async throws {}
}

struct AllowedDefaultTests {
    @Test(.scope(defaults: .forbidden, allowing: \.limit, \.unit) { $0.database = InMemory() })
    func byKeyPath() { #expect(EnvironmentScope.current.limit == 100) }

    @Test(.scope(defaults: .forbidden, allowing: ScopeValues.limit) { $0.database = InMemory() })
    func byValue() { #expect(EnvironmentScope.current.limit == 100) }

    @Test(.scope(defaults: .forbidden, allowing: PortKey.self) { $0.database = InMemory() })
    func byKeyType() { #expect(EnvironmentScope.current.port == 8080) }
}

// Here it would be the global scope of all tests of the library.
@Suite(.inProcessOfItsOwn)
struct ForbiddingTests {
    @Suite(.globalDefaultsForbidden)
    struct ServerTests {
        @Test(.scope { $0.port = 1 })
        func readsItsPort() { #expect(EnvironmentScope.current.port == 1) }
    }
}
