import Dispatch
import Git
import OtherLibrary
import ScopedInjection
import Testing

// No test has a trait of the library, and no file imports its module for tests. Those whose names begin with `forgets` are to
// fail, and no others: the script `check` looks.

/// What a program makes.
private func makeApp() -> EnvironmentScope { EnvironmentScope("app", parent: nil) { $0.author = "Ada" } }

@Suite struct SetTests {
    private let release = Release()

    @Test func forgetsTheFolder() { #expect(release.place == "/srv/repository") }
    @Test func forgetsTheFolderToo() { #expect(release.place == "/srv/repository") }
    @Test func forgetsWhatTheLogIsBuiltFrom() { #expect(release.logPlace == "/srv/repository/log") }
    @Test func forgetsWhatAKeptLogIsBuiltFrom() { #expect(release.logPlace == "/srv/repository/log") }
    @Test func forgetsInAMember() { #expect(EnvironmentScope.current.folder == "/srv/repository") }
    @Test func forgetsTheTags() { #expect(throws: UnimplementedError.self) { try release.next() } }
    @Test func forgetsTheBranch() { #expect(release.title() == "v of ") }
    @Test func forgetsTheTag() async {
        let scope = EnvironmentScope("test") { $0.git.tags = { [] } }
        await #expect(throws: UnimplementedError.self) { try await scope { try await release.publish() } }
    }
    @Test func forgetsTheRestOfAClient() {
        let scope = EnvironmentScope("test") {
            $0.files.exists = { _ in true }
            $0.files.exists = { $0 == "a" }
        }
        #expect(scope.files.exists("a") && scope.files.contents("a") == "live contents of a")
    }
    @Test func forgetsInATask() async { #expect(await Task { release.place }.value == "/srv/repository") }

    @Test func forgetsTheFolderOfAnApp() { #expect(makeApp().folder == "/srv/repository") }
    @Test func forgetsInAnAppThatIsEntered() {
        let app = makeApp()
        app { #expect(release.place == "/srv/repository") }
    }
    @Test func forgetsToCloseAnApp() { makeApp().onClose {} }

    @Test func getsTheValuesOfTestsFromAnApp() { #expect(makeApp().limit == 3) }
    @Test func getsWhatIsSafe() { #expect(EnvironmentScope.current.prefix == "v") }
    @Test func getsTheValueOfTests() { #expect(release.maximum == 3) }
    @Test func getsTheRequiredValueOfTests() { #expect(release.credentials == "token of tests") }
    @Test func getsNil() { #expect(release.writer == "nobody") }
    @Test func setsTheFolder() {
        let scope = EnvironmentScope("test") { $0.folder = "/tmp" }
        scope { #expect([release.place, release.logPlace] == ["/tmp", "/tmp/log"]) }
    }
    @Test func setsTheTags() throws {
        let scope = EnvironmentScope("test") { $0.git.tags = { ["v1"] } }
        #expect(try scope { try release.next() } == "v2")
    }
    @Test func allowsTheDefault() {
        EnvironmentScope.empty("live", defaults: .allowed)() { #expect(release.place == "/srv/repository") }
    }
}

/// Its own test is known only where it starts.
@Suite(.serialized) struct UnknownTests {
    @Test func leavesItsTest() async {
        let release = Release()
        #expect(await Task.detached { release.place }.value == "/srv/repository")
    }
}

/// They change what all tests share, so they run after each other and give it back.
@Suite(.serialized) struct GlobalTests {
    @Test func forgetsAScopeToSetIn() {
        EnvironmentScope.current.author = "Ada"
        EnvironmentScope.current.removeValue(for: \.author)
    }
    @Test func forgetsToEnterItsScope() {
        let former = EnvironmentScope.global
        EnvironmentScope.global = .empty("mine", parent: nil)
        EnvironmentScope.global = former
    }
}

@Suite struct TraitTests {
    @Test(ReadingTrait()) func forgetsInATrait() {}
    @Test(arguments: [Release().place]) func readsInItsArguments(_ place: String) {}
}
