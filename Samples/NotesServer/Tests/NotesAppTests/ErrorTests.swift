import Hummingbird
import HummingbirdTesting
import NotesApp
import ScopedInjection
import Testing

@Suite struct ErrorTests {
    /// Where an error comes from that says how it is to be answered.
    enum Origin: CaseIterable, Sendable {
        case builder, builderOfAnInput, deferredValue

        func read() async throws -> String {
            let scope = EnvironmentScope.current
            return switch self {
            case .builder: try scope.value(for: \.plan)
            case .builderOfAnInput: try scope.value(for: \.bill)
            case .deferredValue: try await scope.deferredPlan()
            }
        }
    }

    @Test(arguments: Origin.allCases)
    func whatIsThrownIsAnsweredByItsType(origin: Origin) async throws {
        try await withServer(.ahc(), probe: { _, _ in try await origin.read() }) { client in
            let answer = try await client.send(.post, "/probe", as: .alice)
            try expectRefusal(answer, status: 409)
            #expect(try answer.reason() == "alice has not paid.")
        }
    }
}

extension ScopeValues {
    fileprivate static var plan: ScopeValue<String> { .lazy { throw HTTPError.notPaid(try $0.user) } }
    fileprivate static var bill: ScopeValue<String> { .lazy { "for \(try $0.plan)" } }
    fileprivate static var deferredPlan: ScopeValue<Deferred<String>> {
        .lazy {
            let user = try $0.user
            return Deferred { throw HTTPError.notPaid(user) }
        }
    }
}

extension HTTPError {
    fileprivate static func notPaid(_ user: User) -> HTTPError {
        HTTPError(.conflict, message: "\(user) has not paid.")
    }
}
