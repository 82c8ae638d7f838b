import GRPCCore
import ScopedInjection

/// The second service: it is told what users do.
package struct AuditService: RegistrableRPCService {
    static let record = Method<String, Receipt>("Audit", "Record")

    private let user = Injected(\.user)
    private let call = Injected(\.call)

    package init() {}

    package func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        router.add(Self.record) { messages in
            var answer = Receipt(text: "", call: call())
            for try await text in messages { answer.text = "\(user() ?? "nobody"): \(text)" }
            return StreamingServerResponse(single: ServerResponse(message: answer))
        }
    }
}

/// What the second service has seen.
package struct Receipt: Codable, Equatable, Sendable {
    package var text: String
    package var call: CallContext?
}

/// What calls the second service.
package struct AuditClient: Sendable {
    /// Tells it what a user did.
    package var record: @Sendable (_ text: String) async throws -> Receipt

    /// Calls it over a connection, as the service `Notes`.
    package static func live(_ client: GRPCClient<some ClientTransport>) -> AuditClient {
        AuditClient { try await client.call(AuditService.record, $0, ["authorization": "token-notes"]) }
    }
}
