import Dispatch
import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("A default that a test reaches is given, and is one issue of the test")
struct ReportedDefaultTests {
    @Test(
        "The issue of a reported default stands at the line of the reference, names the value, and says what to do",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [true] && issues.first?.fileID == "Server/Client.swift")
            #expect(issues.first?.line == 42)
            let text = """
                port (Int) was not set, and the test was given its default.
                  Declared at: ScopedInjectionTestingTests/Values.swift:9
                  Read by: the reference at Server/Client.swift:42
                  Searched: "forgetful"
                  To fix it: set it in the test (.scope { $0.port = … }), or allow its default there \
                (allowing: \\.port); if the default harms no test, say so where it is declared \
                (isSafeInTests: true).
                """
            #expect(issues.first?.text == text)
        },
        .scope("forgetful")
    )
    func throughReference() {
        let port = Injected(\.port, fileID: "Server/Client.swift", line: 42)
        #expect(port() == 8080)
    }

    @Test(
        "Read through the scope itself, it stands at the line of the test",
        .issues { issues in
            #expect(issues.map(\.value) == ["port"])
            #expect(issues.first?.line == issues.first?.test?.sourceLocation.line)
            #expect(issues.first?.text.contains("Read by") == false)
            let reason = "\n  This line: that of the test, because the scope was read without a reference."
            #expect(issues.first?.text.hasSuffix(reason) == true)
        },
        .scope()
    )
    func throughScope() { #expect(EnvironmentScope.current.port == 8080) }

    @Test(
        "Where a part of it is set, that is told, once",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [true])
            #expect(issues.first?.line == issues.first?.test?.sourceLocation.line)
            let text = """
                A part of range (Range) was set in "partial"; the rest is its live default.
                  Declared at: ScopedInjectionTestingTests/ReportedDefaultTests.swift:\(lineOfRange)
                  To fix it: give it a value for tests where it is declared (inTests:), which the part is then set in, \
                or set the whole of it before.
                """
            #expect(issues.first?.text == text)
        },
        .scope("partial") {
            $0.range.low = 1
            $0.range.high = 2
        }
    )
    func part() { #expect(EnvironmentScope.current.range == Range(low: 1, high: 2)) }

    @Test(
        "A reported default is told once for each value, however many read it at once",
        .issues { issues in #expect(Set(issues.map(\.value)) == ["port", "host"] && issues.count == 2) },
        .scope()
    )
    func once() async {
        await withTaskGroup { group in
            for _ in 0..<100 {
                group.addTask { #expect(EnvironmentScope.current.port == 8080) }
                group.addTask { #expect(EnvironmentScope.current.host == "localhost") }
            }
        }
        #expect(EnvironmentScope.empty("below").port == 8080)
    }

    @Test(
        "What is built from a forgotten value is not told beside it",
        .issues { issues in
            #expect(issues.map(\.value) == ["host"] && issues.first?.line == 7)
            #expect(issues.first?.text.contains("\n  Needed by: letter → page → address → host\n") == true)
        },
        .scope { $0.port = 1 }
    )
    func builtFromForgotten() { #expect(Injected(\.letter, line: 7)() == "letter with page at localhost:1") }

    @Test(
        "A builder that a trait provides may reach one, and its reference is named",
        .issues { issues in
            #expect(issues.map(\.value) == ["port"] && issues.first?.line == 5)
        },
        .scope { $0.provide(\.page) { _ in "page at \(Injected(\.port, line: 5)())" } }
    )
    func inBuilder() { #expect(EnvironmentScope.current.page == "page at 8080") }

    @Test(
        "A reported default is built once and kept as where it is allowed",
        .issues { issues in #expect(issues.map(\.value) == ["object"]) },
        .scope()
    )
    func kept() {
        let first = EnvironmentScope.current.object
        #expect(EnvironmentScope.current.object === first)
        #expect(EnvironmentScope.empty("child").object === first)
    }

    @Test(
        "What the parent has built from defaults hides none of them",
        .issues { issues in #expect(issues.map(\.value) == ["host"]) },
        .scope(parent: EnvironmentScope("app", parent: nil) { $0.port = 2 })
    )
    func builtInParent() throws {
        let parent = try #require(EnvironmentScope.current.parent)
        #expect(parent.page == "page at localhost:2")
        #expect(EnvironmentScope.current.page == "page at localhost:2")
        #expect(EnvironmentScope.current.page == "page at localhost:2")
    }

    @Test("Read on a queue, it is told where Swift Testing knows the test")
    func onQueue() async throws {
        let process = try await TestProcess(running: "ForgetfulQueueTests/")
        #expect(process.issues.map(\.test) == ["onQueue()", "parameters(_:)"])
        #expect(process.issues.map(\.line) == [42, 43])
        #expect(!process.output.contains("«unknown»"))
        #expect(process.output.contains("with 1 argument number → 1 at"))
    }
}

@Suite("What a test need not set")
struct UnreportedDefaultTests {
    @Test(
        "What is set or provided, here or in the parent; nil is set",
        .withoutIssues,
        .scope(parent: EnvironmentScope("app", parent: nil) { $0.host = "app" }) {
            $0.port = 1
            $0.provide(\.page) { "provided at \(try $0.address)" }
        }
    )
    func serving() { #expect(EnvironmentScope.current.page == "provided at app:1") }

    @Test("What is safe in tests, what is optional, and what has a value for tests", .withoutIssues, .scope())
    func safe() {
        #expect(EnvironmentScope.current.depth == 3)
        #expect(EnvironmentScope.current.user == nil)
        #expect(EnvironmentScope.current.retries == 0)
    }

    @Test("Where a scope below allows defaults, they are given without a word", .withoutIssues, .scope())
    func allowedBelow() { #expect(EnvironmentScope.empty("child", defaults: .allowed).port == 8080) }
}

/// Run in a process of its own by `ReportedDefaultTests`.
@Suite(.inProcessOfItsOwn, .serialized)
struct ForgetfulQueueTests {
    @Test(.scope()) func onQueue() async {
        let port = Injected(\.port, line: 42)
        let bound = EnvironmentScope.current.bind { port() }
        #expect(await ScopedInjectionTestingTests.onQueue(bound) == 8080)
    }

    @Test(.scope(), arguments: [1]) func parameters(_ number: Int) async {
        let port = Injected(\.port, line: 43)
        #expect(await Task.detached(operation: EnvironmentScope.current.bind { port() }).value == 8080)
    }
}

private final class Object: Sendable {}
private struct Range: Sendable, Equatable {
    var low = 0
    var high = 9
}

private let lineOfRange: UInt = #line + 1
extension ScopeValues { fileprivate static var range: ScopeValue<Range> { .value(Range()) } }

extension ScopeValues {
    fileprivate static var page: ScopeValue<String> { .lazy { "page at \(try $0.address)" } }
    fileprivate static var letter: ScopeValue<String> { .lazy { "letter with \(try $0.page)" } }
    fileprivate static var object: ScopeValue<Object> { .lazy { _ in Object() } }
}
