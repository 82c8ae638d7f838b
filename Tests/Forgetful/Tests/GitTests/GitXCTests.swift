import Git
import ScopedInjection
import XCTest

final class GitXCTests: XCTestCase {
    private let release = Release()

    func testForgetsTheFolder() { XCTAssertEqual(release.place, "/srv/repository") }
    func testForgetsTheTags() { XCTAssertThrowsError(try release.next()) }
    func testForgetsTheBranch() { XCTAssertEqual(release.title(), "v of ") }
    func testForgetsTheFolderAsynchronously() async {
        await Task.yield()
        XCTAssertEqual(release.place, "/srv/repository")
    }

    func testForgetsTheFolderOfAnApp() {
        XCTAssertEqual(EnvironmentScope.empty("app", parent: nil).folder, "/srv/repository")
    }
    func testForgetsAScopeToSetIn() {
        EnvironmentScope.current.author = "Ada"
        EnvironmentScope.current.removeValue(for: \.author)
    }
    func testForgetsToCloseAnApp() { EnvironmentScope.empty("app", parent: nil).onClose {} }

    func testGetsTheValueOfTests() { XCTAssertEqual(release.maximum, 3) }
    func testSetsTheTags() throws {
        let scope = EnvironmentScope("test") { $0.git.tags = { ["v1"] } }
        XCTAssertEqual(try scope { try release.next() }, "v2")
    }
}
