import Git
import OtherLibrary
import ScopedInjection
import ScopedInjectionTesting
import Testing

/// Each test sets one endpoint of the client; the others fail a test that reaches them.
@Suite struct EndpointTests {
    private let release = Release()

    // MARK: Set by the trait

    @Test(.scope { $0.git.tags = { ["v1"] } }) func countsOneTag() throws { #expect(try release.next() == "v2") }
    @Test(.scope { $0.git.tags = { [] } }) func beginsWithOne() throws { #expect(try release.next() == "v1") }
    @Test(.scope { $0.git.tags = { ["a", "b"] } }) func takesTheLast() throws { #expect(try release.latest() == "b") }
    @Test(.scope { $0.git.tags = { [] } }) func hasNoLatest() throws { #expect(try release.latest() == nil) }
    @Test(.scope { $0.git.tags = { ["a", "b", "c", "d"] } }) func stopsAtTheLimit() throws {
        #expect(try release.latest() == "c")
    }
    @Test(.scope { $0.git.branch = { "main" } }) func namesTheBranch() { #expect(release.title() == "v of main") }
    @Test(.scope { $0.git.branch = { "next" } }) func endsWithTheBranch() { #expect(release.title().hasSuffix("next")) }
    @Test(.scope { $0.git.commitCount = { _ in 7 } }) func countsCommits() throws {
        #expect(try release.size(since: "v1") == 7)
    }
    @Test(.scope { $0.git.commitCount = { $0.count } }) func asksForTheTag() throws {
        #expect(try release.size(since: "v1") == 2)
    }
    @Test(.scope { $0.git.commitCount = { _ in 0 } }) func mayBeEmpty() throws {
        #expect(try release.size(since: "v9") == 0)
    }

    // MARK: Set around a call

    @Test func countsOneTagAround() throws {
        let scope = EnvironmentScope("test") { $0.git.tags = { ["v1"] } }
        #expect(try scope { try release.next() } == "v2")
    }
    @Test func beginsWithOneAround() throws {
        let scope = EnvironmentScope("test") { $0.git.tags = { [] } }
        #expect(try scope { try release.next() } == "v1")
    }
    @Test func takesTheLastAround() throws {
        let scope = EnvironmentScope("test") { $0.git.tags = { ["a", "b"] } }
        #expect(try scope { try release.latest() } == "b")
    }
    @Test func hasNoLatestAround() throws {
        let scope = EnvironmentScope("test") { $0.git.tags = { [] } }
        #expect(try scope { try release.latest() } == nil)
    }
    @Test func stopsAtTheLimitAround() throws {
        let scope = EnvironmentScope("test") { $0.git.tags = { ["a", "b", "c", "d"] } }
        #expect(try scope { try release.latest() } == "c")
    }
    @Test func namesTheBranchAround() {
        let scope = EnvironmentScope("test") { $0.git.branch = { "main" } }
        #expect(scope { release.title() } == "v of main")
    }
    @Test func endsWithTheBranchAround() {
        let scope = EnvironmentScope("test") { $0.git.branch = { "next" } }
        #expect(scope { release.title().count } == 9)
    }
    @Test func countsCommitsAround() throws {
        let scope = EnvironmentScope("test") { $0.git.commitCount = { _ in 7 } }
        #expect(try scope { try release.size(since: "v1") } == 7)
    }
    @Test func asksForTheTagAround() throws {
        let scope = EnvironmentScope("test") { $0.git.commitCount = { $0.count } }
        #expect(try scope { try release.size(since: "v1") } == 2)
    }
    @Test func mayBeEmptyAround() throws {
        let scope = EnvironmentScope("test") { $0.git.commitCount = { _ in 0 } }
        #expect(try scope { try release.size(since: "v9") } == 0)
    }

    // MARK: Others are not set

    @Test(ReadingTrait(), .scope { $0.folder = "/tmp" }) func forgetsWhatATraitBeforeItsScopeReads() {
        #expect(release.place == "/tmp")
    }

    @Test(.scope { $0.git.tags = { [] } }) func forgetsTheBranchOfAPart() { #expect(release.title() == "v of ") }
}
