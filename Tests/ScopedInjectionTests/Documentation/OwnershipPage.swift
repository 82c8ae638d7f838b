import ScopedInjection
import Testing

private final class Mailer: Sendable { let user = Injected(\.user) }

extension ScopeValues {
    fileprivate static var mailer: ScopeValue<Mailer?> { .optional() }
}

@Suite("Documentation: ownership")
struct OwnershipPage {
    @Test("A parent that is gone is an error")
    func gone() {
        func makeRequest() -> EnvironmentScope {
            let app = EnvironmentScope.empty("app", parent: nil)
            return EnvironmentScope("request", parent: app) { $0.host = "here" }
        }

        let request = makeRequest()
        #expect(request.host == "here")
        #expect(throws: ScopeError.self) { try request.value(for: \.port) }
    }

    @Test("A bound reference does not own its owner")
    func bound() {
        weak var gone: EnvironmentScope?
        do {
            let mailer = Mailer()
            let scope = EnvironmentScope("app", parent: nil) { $0.mailer = mailer }
            scope.replace(in: mailer)
            gone = scope
        }
        #expect(gone == nil)
    }

    @Test("The table has ten rows")
    func rows() throws {
        let lines = try ProjectFiles.lines(of: "\(ProjectFiles.catalog)/Ownership.md")
        #expect(lines.filter { $0.hasPrefix("|") }.count == 12)
    }
}
