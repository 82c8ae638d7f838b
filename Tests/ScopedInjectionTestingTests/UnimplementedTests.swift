import ScopedInjection
import ScopedInjectionTesting
import Testing

protocol Payments: Sendable {
    func charge(_ amount: Int) throws -> String
    func balance() -> Int
}

struct NoPayments: Payments {
    func charge(_ amount: Int) throws -> String { throw unimplemented("Payments.charge") }
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
            let text = """
                Payments.charge was called, which is not implemented in this test.
                  To fix it: give the test a value that implements it, or let the code under test not call it.
                  Given: an error.
                """
            #expect(issues.first?.text == text)
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
    @Test(.scope()) func detached() async { #expect(await Task.detached { NoPayments().balance() }.value == 0) }
}

/// A client whose endpoints have any number of arguments, and wait or not.
private struct Library: Sendable {
    var titles: @Sendable () throws -> [String] = unimplemented("Library.titles")
    var find: @Sendable (_ title: String, _ year: Int) async throws -> String? = unimplemented("Library.find")
    var lend: @Sendable (String, Int, Bool) async -> Int = unimplemented("Library.lend", placeholder: 0)
    var log: @Sendable (String) -> Void = unimplemented("Library.log", placeholder: ())
}

@Suite("An endpoint of a client that nobody set")
struct UnimplementedEndpointTests {
    @Test(
        "Called, it is an issue of the test, at the line where the endpoint stands",
        .issues { issues in
            #expect(Set(issues.map(\.fileID)) == ["ScopedInjectionTestingTests/UnimplementedTests.swift"])
            #expect(issues.map(\.line) == [60, 61, 62, 63])
            let names = ["titles", "find", "lend", "log"].map { "Library.\($0)" }
            #expect(issues.map { "\($0.text.prefix { $0 != " " })" } == names)
        },
        .scope()
    )
    func called() async {
        let library = Library()
        #expect(throws: UnimplementedError.self) { try library.titles() }
        await #expect(throws: UnimplementedError.self) { try await library.find("a", 1) }
        #expect(await library.lend("a", 1, true) == 0)
        library.log("a")
    }

    @Test("One that is set is none", .issues { issues in #expect(issues.isEmpty) })
    func set() async throws {
        var library = Library()
        library.find = { "\($0) of \($1)" }
        #expect(try await library.find("a", 1) == "a of 1")
    }
}
