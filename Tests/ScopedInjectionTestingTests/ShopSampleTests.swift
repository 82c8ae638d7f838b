import Testing

/// Reads what the tests of the shop are told that each forget a value; see Tests/ShopTests.
@Suite("A shop of eleven values whose tests set the four that reach the world")
struct ShopSampleTests {
    @Test(
        "Forgetting one of the four is one issue, of the right test, at the right line; the other tests know nothing of it"
    )
    func forgotten() async throws {
        let process = try await TestProcess(running: "ShopTests.ForgetfulTests/")
        #expect(process.didFail)
        #expect(process.endedTests.count == 5)
        let places = process.issues.map { "\($0.test ?? "the run") \($0.fileID ?? ""):\($0.line ?? 0)" }
        #expect(
            places.sorted() == [
                "forgetsTheClock() ShopTests/ForgetfulTests.swift:17",
                "forgetsTheDatabase() ShopTests/ForgetfulTests.swift:17",
                "forgetsTheMailer() ShopTests/Shop.swift:70",
                "forgetsThePayments() ShopTests/Shop.swift:83",
            ]
        )
        let issue = try #require(process.issues.first { $0.test == "forgetsTheDatabase()" })
        #expect(
            issue.text.contains(
                "ShopTests/Shop.swift:9: nothing is set or provided, and \"forgetsTheDatabase()\" forbids"
            )
        )
        #expect(issue.text.contains("  Read by: the reference at ShopTests/ForgetfulTests.swift:17\n"))
        #expect(issue.text.contains("  To fix it: set it in the test (.scope { "))
        #expect(issue.text.contains("), or allow its default there (allowing:"))
        #expect(
            issue.text.contains("; if the default harms no test, say so where it is declared (isSafeInTests: true).\n")
        )
    }
}
