import Dependencies
import DependenciesTestSupport
import Foundation
import Testing

// Tests as they are written for swift-dependencies. They pass as they stand.

nonisolated extension Date {
    fileprivate static var t0: Self { Date(timeIntervalSince1970: 0) }
}

nonisolated private struct NoTags: Error {}

@Suite("Code and tests for swift-dependencies, as they stand", .dependency(\.date.now, .t0))
struct PipelineTests {
    @Test func anOverrideIsInForceInAnAsynchronousOperation() async throws {
        let recorder = Recorder()
        let package = try await withDependencies {
            $0.git.tags = { folder in ["1.0 of \(folder)"] }
            $0.git.commitDate = { _ in .t0 }
            $0.log = recorder
        } operation: {
            try await Ingestion.ingest("a")
        }
        #expect(package == Package(tags: ["1.0 of a"], date: .t0, branch: "main"))
        #expect(recorder.lines == ["ingested a"])
    }

    @Test func anOverrideIsInForceInASynchronousOperation() {
        let bucket = withDependencies {
            $0.environment.bucket = { "b" }
        } operation: {
            Ingestion.bucket()
        }
        #expect(bucket == "b")
    }

    @Test func overridesNestAndTheInnermostCounts() async throws {
        try await withDependencies {
            $0.environment.bucket = { "outer" }
            $0.environment.workers = { 2 }
        } operation: {
            withDependencies {
                $0.environment.bucket = { "inner" }
            } operation: {
                @Dependency(\.environment) var environment
                #expect(environment.bucket() == "inner")
                #expect(environment.workers() == 2)
            }
            #expect(Ingestion.bucket() == "outer")
            try await Task.sleep(for: .zero)
            #expect(Ingestion.bucket() == "outer")
        }
    }

    @Test(
        .dependencies {
            $0.shell.run = { command, folder in "\(command) in \(folder)" }
            $0.git = .liveValue
        }
    )
    func aLiveClientReadsTheTestsOther() async throws {
        @Dependency(\.git) var git
        #expect(try await git.tags("b") == ["git tag in b"])
        #expect(try await git.commitDate("b") == .t0)
    }

    @Test func anEndpointThatNobodySetFailsItsTest() async {
        await withKnownIssue {
            await #expect(throws: (any Error).self) {
                @Dependency(\.git) var git
                _ = try await git.tags("c")
            }
        }
        withKnownIssue {
            @Dependency(\.environment) var environment
            #expect(environment.workers() == 1)
        }
    }

    @Test func aLiveValueThatNobodyReplacedFailsItsTest() {
        withKnownIssue {
            @Dependency(\.log) var log
            log.write("in a test")
        }
    }

    @Test(.dependency(\.uuid, .incrementing))
    func anObjectKeepsTheOverridesInWhichItWasMade() {
        let model = withDependencies {
            $0.environment.bucket = { "made" }
        } operation: {
            DocumentationModel()
        }
        #expect(model.upload() == "\(UUID(0)) to made at 0.0")
        let later = withDependencies {
            $0.date.now = Date(timeIntervalSince1970: 60)
        } operation: {
            model.upload()
        }
        #expect(later == "\(UUID(1)) to made at 60.0")
        #expect(model.child().upload() == "\(UUID(2)) to child at 0.0")
    }

    @Test(.dependency(\.uuid, .constant(UUID(5))))
    func anObjectsOverridesReachADetachedTask() async {
        let model = withDependencies {
            $0.environment.bucket = { "made" }
        } operation: {
            DocumentationModel()
        }
        #expect(await Task.detached { model.upload() }.value == "\(UUID(5)) to made at 0.0")
    }

    @Test func escapedDependenciesReachADetachedTask() async throws {
        let stored = try await withDependencies {
            $0.git.tags = { _ in ["2.0"] }
        } operation: {
            try await store("d")
        }
        #expect(stored == "7: 2.0")
    }

    @Test func escapedDependenciesReachAnotherThread() async {
        let bucket = await withDependencies {
            $0.environment.bucket = { "queue" }
        } operation: {
            await withEscapedDependencies { dependencies in
                await withCheckedContinuation { continuation in
                    DispatchQueue.global().async {
                        dependencies.yield { continuation.resume(returning: Ingestion.bucket()) }
                    }
                }
            }
        }
        #expect(bucket == "queue")
    }

    @Test(.dependency(\.continuousClock, .immediate))
    func sleepsEndAtOnce() async throws {
        let tries = Recorder()
        let result = try await retry(every: .seconds(3600), times: 3) {
            tries.write("again")
            if tries.lines.count < 3 { throw NoTags() }
            return tries.lines.count
        }
        #expect(result == 3)
    }

    @Test func theClockThatNobodySetFailsItsTest() async {
        await withKnownIssue { () async throws in
            _ = try await retry(every: .seconds(3600), times: 2) { throw NoTags() } as Int
        }
    }

    @Test func prepareSetsForTheWholeTest() {
        prepareDependencies {
            $0.environment.bucket = { "prepared" }
        }
        #expect(Ingestion.bucket() == "prepared")
    }

    @Test(arguments: 0..<20)
    func casesAtOnceDoNotMix(_ number: Int) async {
        let bucket = await withDependencies {
            $0.environment.bucket = { "\(number)" }
        } operation: {
            await Task.yield()
            return Ingestion.bucket()
        }
        #expect(bucket == "\(number)")
    }

    @Test(.dependency(EnvironmentClient(bucket: { "whole" }, workers: { 9 })))
    func aTraitTakesAValueThatIsItsOwnKey() {
        #expect(Ingestion.bucket() == "whole")
    }
}

@Suite("Tests for swift-dependencies, without a trait")
struct UntraitedTests {
    @Test func aTestIsGivenTestValues() {
        @Dependency(\.git) var git
        #expect(git.defaultBranch() == "main")
        withKnownIssue { #expect(Ingestion.bucket() == "none") }
    }

    @Test func anOverrideIsInForce() {
        withDependencies {
            $0.environment.bucket = { "b" }
        } operation: {
            #expect(Ingestion.bucket() == "b")
        }
    }
}

@MainActor
@Suite("Operations for swift-dependencies, on an actor, with what is not Sendable", .dependencies { _ in })
struct IsolationTests {
    nonisolated final class Buffer {
        var lines: [String] = []
        func add(_ line: String) { lines.append(line) }
    }

    @Test func theOperationStaysOnItsActor() async {
        let buffer = Buffer()
        await withDependencies {
            $0.environment.bucket = { "main" }
        } operation: {
            MainActor.assertIsolated()
            await Task.yield()
            buffer.add(Ingestion.bucket())
        }
        #expect(buffer.lines == ["main"])
    }
}
