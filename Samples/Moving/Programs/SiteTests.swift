import Dependencies
import DependenciesTestSupport
import Foundation
import XCTest

// XCTests as they are written for swift-dependencies, with their base class: `DependenciesTestCase` in place of `XCTestCase`.

nonisolated private final class Box: Sendable {
    let names = LockIsolated<[String]>([])
}

nonisolated private enum BoxKey: DependencyKey {
    static var liveValue: Box { Box() }
    static var testValue: Box { Box() }
}

nonisolated private struct MailClient: Sendable {
    var send: @Sendable (_ to: String, _ text: String) async throws -> String = unimplemented("Mail.send")
    var isOpen: @Sendable () -> Bool = unimplemented("Mail.isOpen", placeholder: false)
}

nonisolated extension MailClient: DependencyKey {
    static var liveValue: Self { Self(send: { to, _ in to }, isOpen: { true }) }
    static var testValue: Self { Self() }
}

nonisolated extension DependencyValues {
    fileprivate var box: Box {
        get { self[BoxKey.self] }
        set { self[BoxKey.self] = newValue }
    }
    fileprivate var mail: MailClient {
        get { self[MailClient.self] }
        set { self[MailClient.self] = newValue }
    }
}

nonisolated private func join(_ name: String) async throws -> String {
    @Dependency(\.box) var box
    @Dependency(\.mail) var mail
    @Dependency(\.uuid) var uuid
    @Dependency(\.fireAndForget) var fireAndForget
    await fireAndForget { box.names.withValue { $0.append(name) } }
    guard mail.isOpen() else { return "closed" }
    return try await mail.send(name, "\(uuid())")
}

nonisolated class SiteTestCase: DependenciesTestCase {
    override func invokeTest() {
        withDependencies {
            $0.uuid = .incrementing
            $0.mail.isOpen = { true }
        } operation: {
            super.invokeTest()
        }
    }
}

nonisolated final class JoinTests: SiteTestCase {
    @Dependency(\.box) private var box

    // A second level of overrides, around those of the base class.
    override func invokeTest() {
        withDependencies {
            $0.mail.send = { to, text in "\(to): \(text)" }
        } operation: {
            super.invokeTest()
        }
    }

    override func setUp() async throws {
        XCTAssertEqual(box.names.value, [])
        prepareDependencies { $0.date.now = Date(timeIntervalSince1970: 1) }
    }

    func testJoins() async throws {
        let answer = try await join("a")
        XCTAssertEqual(answer, "a: \(UUID(0))")
        XCTAssertEqual(box.names.value, ["a"])
    }

    func testJoinsAgainWithNothingOfTheOtherTest() async throws {
        let answer = try await join("b")
        XCTAssertEqual(answer, "b: \(UUID(0))")
        XCTAssertEqual(box.names.count, 1)
    }

    func testWhatATestPreparesLastsForTheTest() {
        @Dependency(\.date.now) var now
        XCTAssertEqual(now.timeIntervalSince1970, 1)
        prepareDependencies { $0.date.now = Date(timeIntervalSince1970: 2) }
        XCTAssertEqual(now.timeIntervalSince1970, 2)
    }

    func testAnOverrideOfATest() async throws {
        let answer = try await withDependencies {
            $0.mail.isOpen = { false }
        } operation: {
            try await join("c")
        }
        XCTAssertEqual(answer, "closed")
    }
}

nonisolated final class ReportTests: DependenciesTestCase {
    private let failures = LockIsolated<[String]>([])

    #if canImport(Darwin)
        override func record(_ issue: XCTIssue) {
            let place = issue.sourceCodeContext.location
            let text =
                "\(issue.compactDescription) at \(place?.fileURL.lastPathComponent ?? ""):\(place?.lineNumber ?? 0)"
            failures.withValue { $0.append(text) }
        }
    #else
        override func recordFailure(
            withDescription description: String,
            inFile path: String,
            atLine line: Int,
            expected: Bool
        ) {
            failures.withValue { $0.append("\(description) at \(path.split(separator: "/").last ?? ""):\(line)") }
        }
    #endif

    private func expectFailure(_ text: String, line: Int) {
        let failures = failures.value
        let isExpected =
            failures.count == 1 && failures[0].contains(text) && failures[0].hasSuffix("SiteTests.swift:\(line)")
        if !isExpected { fatalError("\(name): expected \(text) in line \(line), found \(failures)") }
    }

    func testAnEndpointThatNobodySetFailsItsTestAtItsLine() {
        @Dependency(\.mail) var mail
        XCTAssertFalse(mail.isOpen())
        expectFailure("Mail.isOpen was called", line: 19)
    }

    func testAReportedIssueFailsItsTestAtItsLine() {
        reportIssue("out of paper")
        expectFailure("out of paper", line: #line - 1)
    }

    func testAReportedErrorFailsItsTest() {
        struct NoPaper: Error {}
        let pages: Int? = withErrorReporting { throw NoPaper() }
        if pages != nil { fatalError("a body that throws has no result") }
        expectFailure("Caught error: NoPaper()", line: #line - 2)
    }
}

nonisolated final class ExpectedReportTests: DependenciesTestCase {
    func testTheReportOfAnEndpointCanBeExpected() async {
        @Dependency(\.mail) var mail
        withExpectedIssue { XCTAssertFalse(mail.isOpen()) }
        await withExpectedIssue { _ = try await mail.send("a", "b") }
    }

    func testWhatElseSwiftDependenciesDeclares() {
        let roll = withDependencies {
            $0.withRandomNumberGenerator = WithRandomNumberGenerator(RandomNumbers(seed: 1))
            $0.timeZone = .gmt
        } operation: {
            @Dependency(\.withRandomNumberGenerator, fileID: #fileID, line: #line) var random
            @Dependency(\.timeZone) var zone
            XCTAssertEqual(DependencyValues._current.timeZone, zone)
            return random { Int.random(in: 1...6, using: &$0) }
        }
        XCTAssertTrue((1...6).contains(roll))
        let keys: [any DependencyKey<MailClient>.Type] = [MailClient.self]
        XCTAssertEqual(keys.count, 1)
    }
}
