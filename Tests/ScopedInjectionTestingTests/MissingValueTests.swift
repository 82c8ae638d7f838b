import ScopedInjection
import ScopedInjectionTesting
import Testing

@Suite("A value that cannot be had", .timeLimit(.minutes(30)))
struct MissingValueTests {
    @Test("Its read stops the test alone, at the line of the reference, and the other tests go on")
    func stopped() async throws {
        let process = try await TestProcess(running: "StoppedTests/")
        #expect(process.didFail)
        #expect(
            process.endedTests.sorted()
                == [
                    "afterAWait()", "afterForbiddenDefault()", "again(_:)", "goesOn(_:)", "inBuilder()",
                    "inBuilderOfCleanup()", "inBuilderOfMadeScope()", "inTest()", "keyType()",
                ]
        )
        #expect(process.issues.count { $0.test == "again(_:)" } == 40)
        #expect(
            process.issues.filter { $0.test == "afterForbiddenDefault()" }
                .map { $0.text.contains("No value for PortKey ") } == [true, false]
        )
        let issues = process.issues.filter { $0.test != "again(_:)" && $0.test != "afterForbiddenDefault()" }
        #expect(issues.map(\.line).sorted { $0 ?? 0 < $1 ?? 0 } == [42, 42, 43, 43, 43, 44])
        #expect(
            issues.compactMap(\.test).sorted()
                == [
                    "afterAWait()", "inBuilder()", "inBuilderOfCleanup()", "inBuilderOfMadeScope()", "inTest()",
                    "keyType()",
                ]
        )
        let issue = try #require(process.issues.first { $0.test == "inBuilder()" })
        #expect(issue.fileID == "Server/Client.swift")
        #expect(
            issue.text.hasSuffix(
                """
                No value for session (Token): nothing is set or provided, and it has no default.
                  Declared at: ScopedInjectionTestingTests/Keys.swift:42
                  Read by: the reference at Server/Client.swift:43
                  Searched: "stopped"
                  Needed by: page → session
                  To fix it: set it in the test (.scope { $0.session = … }), or read it where the read can throw \
                (try scope.value(for: \\.session)).
                  The test stops here, because the read can neither throw nor return.
                """
            )
        )
        let ofKeyType = try #require(process.issues.first { $0.test == "keyType()" })
        #expect(
            ofKeyType.text.contains("No value for TokenKey (Token): nothing is set or provided, and the key has no")
        )
        #expect(ofKeyType.text.contains("(.scope { $0[TokenKey.self] = … })"))
    }

    @Test(
        "Where nothing can be stopped, the process ends with a text that names the test",
        arguments: [
            "onMainActor()", "onGlobalActor()", "onWrappedGlobalActor()", "inActor()", "inTaskOfItsOwn()",
            "inBuilderOfParent()", "inSharedBuilder()",
        ]
    )
    func ending(_ test: String) async throws {
        let process = try await TestProcess(running: "EndingTests/\(test.dropLast(2))")
        #expect(process.didFail)
        #expect(process.issues.map(\.line) == [42])
        #expect(process.issues.map(\.test) == [test])
        #expect(
            process.output.contains("Fatal error: No value for session (Token): nothing is set or provided, and it")
        )
        #expect(process.output.contains("  The process ends, because the read can neither throw nor return.\n"))
        #expect(process.output.contains("\n  Test: \(test) (EndingTests.swift:"))
    }

    @Test("What is read in the scope of a case is reported for that case, whichever one reads")
    func ofItsOwnCase() async throws {
        let process = try await TestProcess(running: "ForeignCaseTests/")
        #expect(process.issues.map(\.line) == [7])
        #expect(process.output.contains("recorded an issue with 1 argument number → 1 at Client.swift:7"))
    }

    @Test("The scope of a test that is over stops no other one")
    func throughOtherScope() async throws {
        let process = try await TestProcess(running: "EndedScopeTests/")
        #expect(process.didFail)
        #expect(process.output.contains("  The process ends, because the read can neither throw nor return.\n"))
    }

    @Test("After 128 stopped ones the process ends, which has not many threads more")
    func tooMany() async throws {
        let process = try await TestProcess(running: "EndingTests/afterManyOthers")
        #expect(process.didFail)
        // Those that run at once may all be stopped.
        #expect((128..<140).contains(process.issues.count { $0.text.contains("The test stops here") }))
        #expect(process.output.contains("  The process ends, because the read can neither throw nor return.\n"))
    }

    @Test(
        "Validated in the trait, it fails only that test, before it starts",
        .issues { issues in
            #expect(issues.map { ($0.error as? ScopeError)?.code } == [.missingValue])
            #expect(issues.first?.test?.name == "validated()")
        },
        .scope { try $0.validate(TokenKey.self) }
    )
    func validated() { Issue.record("the test ran") }

    @Test(
        "Read with try, it fails only that test",
        .issues { issues in #expect(issues.map { ($0.error as? ScopeError)?.key } == ["TokenKey"]) },
        .scope(defaults: .forbidden)
    )
    func tried() throws {
        let token = try EnvironmentScope.current.value(for: TokenKey.self)
        Issue.record("read \(token)")
    }
}
