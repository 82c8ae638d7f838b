import GRPCCore
import GRPCNIOTransportHTTP2Posix
import ScopedInjection
import Services

/// Runs two services on loopback; with the argument `call`, calls each method of the first.
@main
struct RPCServer {
    static let (notesPort, auditPort) = (8481, 8482)

    static func main() async throws {
        if CommandLine.arguments.dropFirst() == ["call"] { try await call() } else { try await serve() }
    }

    static func serve() async throws {
        try await EnvironmentScope.withScope("audit", role: .application) { audit in
            audit.accounts = ["token-notes": "Notes"]
        } operation: { audit in
            try await withGRPCServer(
                transport: .http2NIOPosix(
                    address: .ipv4(host: "127.0.0.1", port: auditPort),
                    transportSecurity: .plaintext
                ),
                services: [AuditService()],
                interceptors: [RequestScopes(of: audit)]
            ) { _ in
                try await withGRPCClient(
                    transport: .http2NIOPosix(
                        target: .ipv4(address: "127.0.0.1", port: auditPort),
                        transportSecurity: .plaintext
                    ),
                    interceptors: [CallsOfRequests()]
                ) { client in
                    try await serveNotes(auditedBy: .live(client))
                }
            }
        }
    }

    static func serveNotes(auditedBy audit: AuditClient) async throws {
        try await EnvironmentScope.withScope("notes", role: .application) { notes in
            notes.audit = audit
            try await notes.prepare(\.board)
        } operation: { notes in
            let server = GRPCServer(
                transport: .http2NIOPosix(
                    address: .ipv4(host: "127.0.0.1", port: notesPort),
                    transportSecurity: .plaintext
                ),
                services: [NotesService()],
                interceptors: [RequestScopes(of: notes)]
            )
            print("Notes listens on 127.0.0.1:\(notesPort), Audit on 127.0.0.1:\(auditPort).")
            print("From another terminal: swift run --package-path Samples/RPCServer RPCServer call")
            try await server.serve()
        }
    }

    static func call() async throws {
        try await withGRPCClient(
            transport: .http2NIOPosix(
                target: .ipv4(address: "127.0.0.1", port: notesPort),
                transportSecurity: .plaintext
            )
        ) { client in
            let ada: Metadata = ["authorization": "token-ada", "grpc-timeout": "5S"]
            let receipt = try await client.call(NotesService.add, "milk", ada)
            print("Add:\n  \(receipt.text), in request \(receipt.call?.requestID ?? "none")")
            try await show(NotesService.import, ["a", "b"])
            try await show(NotesService.watch, [3])
            try await show(NotesService.chat, ["a", "b"])
            func show<Input>(_ method: Method<Input, String>, _ messages: [Input]) async throws {
                print("\(method.descriptor.method):")
                try await client.call(method, ada) {
                    try await $0.write(contentsOf: messages)
                } answer: { answers in
                    for try await answer in answers { print(" ", answer) }
                }
            }
        }
    }
}
