import ScopedInjection
import ScopedInjectionTesting
import Testing

// The comments of the library print these.

@Test(.scope { $0.database = InMemory() })
func savesANote() {
    NoteStore().add("milk")
    #expect(EnvironmentScope.current.database.notes == ["milk"])
}

@Suite(.scope(strictness: .failures) { $0.database = InMemory() })
struct StrictTests {
    @Test(.scope(strictness: ScopeStrictness(survivors: .off)))
    func startsAServer() async throws {}
}

@Test(.scope(allowing: \.limit, \.unit) { $0.database = InMemory() })
func readsTheLimit() { #expect(EnvironmentScope.current.limit == 100) }

@Test(.scope(allowing: { $0.flag("beta") }) { $0.database = InMemory() })
func readsTheFlag() { #expect(!EnvironmentScope.current[ScopeValues.flag("beta")]) }

// Here it would be the global scope of all tests of the library.
@Suite(.inProcessOfItsOwn)
struct ForbiddingTests {
    @Suite(.globalDefaults(.forbidden))
    struct ServerTests {
        @Test(.scope { $0.port = 1 })
        func readsItsPort() {
            #expect(EnvironmentScope.current.port == 1)
        }
    }
}
