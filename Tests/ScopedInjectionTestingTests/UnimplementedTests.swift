import ScopedInjection
import ScopedInjectionTesting
import Testing

protocol Payments: Sendable {
    func charge(_ amount: Int) throws -> String
    func balance() -> Int
}

struct NoPayments: Payments {
    func charge(_ amount: Int) throws -> String { try unimplemented("Payments.charge") }
    func balance() -> Int { unimplemented("Payments.balance", placeholder: 0) }
}

@Suite("An endpoint that is not implemented")
struct UnimplementedTests {
    @Test(
        "Called, it is an issue of the test, at its own line",
        .issues { issues in
            #expect(issues.map(\.isFailure) == [true, true])
            #expect(issues.map(\.test?.name) == ["called()", "called()"])
            #expect(Set(issues.map(\.fileID)) == ["ScopedInjectionTestingTests/UnimplementedTests.swift"])
            #expect(issues.map(\.line) == [11, 12])
            #expect(
                issues.first?.text == """
                    Payments.charge was called, which is not implemented in this test.
                      To fix it: give the test a value that implements it, or let the code under test not call it.
                      Given: an error.
                    """
            )
            #expect(issues.last?.text.hasSuffix("\n  Given: the placeholder.") == true)
        },
        .scope()
    )
    func called() throws {
        let error = #expect(throws: UnimplementedError.self) { try NoPayments().charge(1) }
        #expect(error?.description == "Payments.charge is not implemented.")
        #expect(NoPayments().balance() == 0)
    }

    @Test("Without a scope too it is an issue of the test", .issues { issues in #expect(issues.count == 1) })
    func withoutScope() { #expect(NoPayments().balance() == 0) }

    @Test("In a detached task, it is an issue of the run")
    func detached() async throws {
        let process = try await TestProcess(running: "UnimplementedElsewhereTests/")
        #expect(process.didFail)
        #expect(Set(process.issues.map(\.test)) == [nil])
        #expect(process.issues.first?.text.contains("\n  Called in: a detached task") == true)
    }
}

/// Run in a process of its own by `UnimplementedTests`.
@Suite(.inProcessOfItsOwn)
struct UnimplementedElsewhereTests {
    @Test(.scope()) func detached() async {
        #expect(await Task.detached { NoPayments().balance() }.value == 0)
    }
}
