import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("A test that forbids defaults never gets one")
struct ForbiddenDefaultTests {
    @Test(
        "A read that can throw throws, also in scopes below, and what is swallowed so is a failure, once for each value",
        .issues { issues in
            #expect(issues.map { $0.text.prefix { $0 != " " } } == ["port", "host"])
            #expect(issues.map(\.isFailure) == [true, true])
        },
        .scope(defaults: .forbidden)
    )
    func throwing() throws {
        let error = try #require(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.port) }
        #expect(error.code == .defaultForbidden)
        #expect(throws: ScopeError.self) { try Injected(\.port).value() }
        #expect(throws: ScopeError.self) { try EnvironmentScope.current.validate(\.address) }
        #expect(throws: ScopeError.self) { try EnvironmentScope.empty("below").value(for: \.port) }
    }

    @Test("What needs no report is given", .withoutIssues, .scope(defaults: .forbidden)) func safe() {
        #expect(EnvironmentScope.current.depth == 3)
        #expect(EnvironmentScope.current.user == nil)
        #expect(EnvironmentScope.current.retries == 0)
    }

    @Test(
        "A test gets no default, too, if its parent forbids them and no trait says otherwise",
        .withoutIssues,
        .scope(parent: .empty("strict", parent: nil, defaults: .forbidden), strictness: .off)
    )
    func parentForbids() { #expect(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.port) } }

    @Suite(.withoutIssues, .scope(defaults: .forbidden))
    struct OfSuite {
        @Test("A test of a suite that forbids them may allow them", .scope(defaults: .allowed))
        func allowed() { #expect(EnvironmentScope.current.port == 8080) }

        @Test("A test of such a suite may have a parent", .scope(parent: .empty("app", parent: nil), strictness: .off))
        func withParent() { #expect(throws: ScopeError.self) { try EnvironmentScope.current.value(for: \.port) } }
    }

    @Test("Another read ends the process, with a text that names the test, the value and the reference")
    func ending() async throws {
        let process = try await TestProcess(running: "EndingTests/forbidden")
        #expect(process.didFail)
        #expect(process.issues == [])
        #expect(process.output.contains("Fatal error: No value for port (Int): nothing is set or provided, and "))
        #expect(process.output.contains("\n  Read by: the reference at Server/Client.swift:42\n"))
        #expect(process.output.contains("\n  Test: forbidden() (EndingTests.swift:"))
        #expect(process.output.contains("\n  In the test: set it (.scope { $0.port = … }), give it"))
    }
}

@Suite("A required value that nobody set")
struct MissingValueTests {
    @Test(
        "Read with try, it fails that test alone",
        .issues { issues in
            #expect(issues.map { ($0.error as? ScopeError)?.code } == [.missingValue])
            #expect(issues.map { ($0.error as? ScopeError)?.name } == ["token"])
        },
        .scope()
    )
    func tried() throws { Issue.record("read \(try EnvironmentScope.current.value(for: \.token))") }

    @Test(
        "Where its error is swallowed, that is a warning, once; where nil stands for it, it is none",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [false])
            let text = """
                token (Token) has no value, and what reads it has caught the error.
                  Read by: the reference at Server/Client.swift:8
                  Searched: "swallowing"
                  To fix it: set it in the test (.scope { $0.token = … }); a test that expects the error says strictness: .off.
                """
            #expect(issues.first?.text == text)
        },
        .scope("swallowing")
    )
    func swallowed() throws {
        let token = Injected(\.token, fileID: "Server/Client.swift", line: 8)
        for _ in 0..<2 { #expect((try? token.value()) == nil) }
        #expect(try EnvironmentScope.current.valueIfAny(for: \.token) == nil)
    }

    @Test(
        "Validated in the trait, it fails that test before it starts",
        .issues { issues in
            #expect(issues.map { ($0.error as? ScopeError)?.code } == [.missingValue])
            #expect(issues.first?.test?.name == "validated()")
        },
        .scope { try $0.validate(\.token) }
    )
    func validated() { Issue.record("the test ran") }

    @Test(
        "Another read ends the process, with a text that names the test",
        arguments: ["missing()", "missingOnQueue()", "missingInBuilder()"]
    )
    func ending(_ test: String) async throws {
        let process = try await TestProcess(running: "EndingTests/\(test.dropLast(2))\\(")
        #expect(process.didFail)
        #expect(process.output.contains("Fatal error: No value for token (Token): nothing is set or provided, and it"))
        #expect(process.output.contains("\n  Read by: the reference at Server/Client.swift:43\n"))
        #expect(process.output.contains("\n  Test: \(test) (EndingTests.swift:"))
        #expect(process.output.contains("\n  In the test: set it (.scope { $0.token = … }), give it"))
    }
}
