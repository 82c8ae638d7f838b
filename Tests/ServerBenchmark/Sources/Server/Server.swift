import Foundation
import Hummingbird
import Logging

/// Answers on a port of 127.0.0.1 that the system chooses and that it prints, until its time is over.
@main
enum Server {
    static func main() async throws {
        guard let seconds = CommandLine.arguments.dropFirst().first.flatMap(Int.init) else {
            throw Failure(description: "How many seconds shall it run? Server SECONDS")
        }
        let handlers = Handlers()
        let router = Router()
        router.get("by-hand") { request, _ in await handlers.byHand(request.uri.path.utf8.count) }
        router.get("scope") { request, _ in await handlers.scope(request.uri.path.utf8.count) }
        router.get("services") { request, _ in await handlers.services(request.uri.path.utf8.count) }
        router.get("transaction-by-hand") { request, _ in
            await handlers.transactionByHand(request.uri.path.utf8.count)
        }
        router.get("transaction") { request, _ in await handlers.transaction(request.uri.path.utf8.count) }
        var logger = Logger(label: "server")
        logger.logLevel = .warning
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                // Not printed: what is printed waits in a buffer where nobody sees it.
                FileHandle.standardOutput.write(Data("\(channel.localAddress?.port ?? 0)\n".utf8))
            },
            logger: logger
        )
        try await withThrowingTaskGroup { group in
            group.addTask { try await application.run() }
            group.addTask { try await Task.sleep(for: .seconds(seconds)) }
            // Whichever ends first ends the other.
            try await group.next()
            group.cancelAll()
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
