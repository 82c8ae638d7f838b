import ScopedInjection
import Testing

private struct Nothing: Sendable {}

/// As large as the memory that a thread lends to builders.
private struct Page: Sendable { var halves = (SIMD64<Double>(repeating: 7), SIMD64<Double>(repeating: 8)) }

extension ScopeValues {
    fileprivate static var nothing: ScopeValue<Nothing> {
        .lazy {
            _ = try $0.port
            return Nothing()
        }
    }
    fileprivate static var page: ScopeValue<Page> {
        .lazy {
            _ = try $0.nothing
            return Page()
        }
    }
    fileprivate static func link(_ number: Int) -> ScopeValue<String> {
        .lazy(id: number) { reader in
            if number > 0 { return try reader[ScopeValues.link(number - 1)] }
            _ = try reader.nothing
            return "end"
        }
    }
}

@Suite("A value may have any size, or none", .programRoots)
struct SizeTests {
    private let app = EnvironmentScope.empty("app", parent: nil)

    @Test("One without a size is built in a chain of any length", arguments: [62, 63, 64, 65, 127])
    func chain(length: Int) { #expect(app[ScopeValues.link(length)] == "end") }

    @Test("One without a size is built for one that takes all memory of the thread") func page() {
        #expect(app.page.halves.0[5] == 7 && app.page.halves.1[5] == 8)
    }
}
