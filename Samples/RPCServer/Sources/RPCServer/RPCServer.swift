import Foundation
import GRPCCore
import GRPCNIOTransportHTTP2Posix
import ScopedInjection
import Services
import UnixSignals

/// Runs two services on loopback; with the argument `call`, calls each method of the first.
@main
struct RPCServer {
    static let (notesPort, auditPort) = (8481, 8482)

    static func main() async {
        do {
            if CommandLine.arguments.dropFirst() == ["call"] { try await call() } else { try await serve() }
        } catch {
            FileHandle.standardError.write(Data("RPCServer ends: \(error)\n".utf8))
            exit(1)
        }
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
        let printing = try await EnvironmentScope.withScope("notes", role: .application) { notes in
            notes.audit = audit
            try await notes.prepare(\.board)
        } operation: { notes in
            let news = notes.board.news
            // It ends with the board, which is closed with the scope.
            let printing = Task { for await line in news { printLine(line) } }
            let server = GRPCServer(
                transport: .http2NIOPosix(
                    address: .ipv4(host: "127.0.0.1", port: notesPort),
                    transportSecurity: .plaintext
                ),
                services: [NotesService()],
                interceptors: [RequestScopes(of: notes)]
            )
            let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
            try await server.serve(
                until: {
                    // Without an address it could not listen, and `serve` throws why.
                    guard (try? await server.transport.listeningAddress) != nil else { return }
                    printLine("Notes listens on 127.0.0.1:\(notesPort), Audit on 127.0.0.1:\(auditPort).")
                    printLine("From another terminal: swift run --package-path Samples/RPCServer RPCServer call")
                    for await _ in signals { return }
                },
                endingWithin: .seconds(5)
            )
            return printing
        }
        await printing.value
        printLine("Stopped: no call is under way, and the scope is closed.")
    }

    /// Prints a line at once, also into a file or a pipe.
    static func printLine(_ line: String) {
        print(line)
        fflush(nil)
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
