import Testing

/// Reads what the tests of the shop are told that each forget a value; see Tests/ShopTests.
@Suite("A shop whose tests set what reaches the world")
struct ShopSampleTests {
    @Test("What a test forgets, or does not carry along, is one issue, at the right line, of that test alone")
    func forgotten() async throws {
        let process = try await TestProcess(running: "ShopTests.ForgetfulTests/")
        #expect(process.didFail && process.endedTests.count == 6)
        let places = process.issues.map { "\($0.test ?? "the run") \($0.fileID ?? ""):\($0.line ?? 0)" }
        #expect(
            Set(places).sorted() == [
                "forgetsTheClock() ShopTests/ForgetfulTests.swift:18",
                "forgetsTheDatabase() ShopTests/ForgetfulTests.swift:18",
                "forgetsTheMailer() ShopTests/Shop.swift:100",
                "forgetsThePayments() ShopTests/Shop.swift:113",
                "startsWorkOnItsOwn() ShopTests/Shop.swift:100",
            ]
        )
        let issue = try #require(process.issues.first { $0.test == "forgetsTheDatabase()" })
        let text = """
            database (Database) was not set, and the test was given its default.
              Declared at: ShopTests/Shop.swift:10
              Read by: the reference at ShopTests/ForgetfulTests.swift:18
              Searched: "forgetsTheDatabase()"
              Needed by: checkout → catalog → database
              Given so, too: checkout, catalog; built from what the test sets, they are its own.
              To fix it: set it in the test (.scope { $0.database = … }), or allow its default there \
            (allowing: \\.database); if the default harms no test, say so where it is declared \
            (isSafeInTests: true).
            """
        #expect(issue.text.hasSuffix(text))
    }
}
