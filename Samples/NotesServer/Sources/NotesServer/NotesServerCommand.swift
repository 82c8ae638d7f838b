import ArgumentParser
import Hummingbird
import NotesApp
import ScopedInjection
import ServiceLifecycle
import UnixSignals

/// The command that runs the server until it is told to stop.
@main
struct NotesServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes-server",
        abstract: "Serves notes over HTTP and keeps them in an SQLite file."
    )

    @Option(help: "The address to listen on.")
    var hostname = "127.0.0.1"

    @Option(help: "The port to listen on; 0 for any that is free.")
    var port = 8080

    @Option(help: "The file that holds the notes; it is created where there is none. ':memory:' keeps them in memory.")
    var database = "notes.db"

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("A port is a number from 0 to 65535.") }
    }

    func run() async throws {
        let scope = EnvironmentScope("application") { $0.databasePath = database }
        do {
            try await serve(in: scope)
        } catch {
            await scope.close()
            // Whoever starts the server is told the reason, not by way of which keys it arose.
            throw (error as? ScopeError)?.underlyingError ?? error
        }
        await scope.close()
    }

    private func serve(in scope: EnvironmentScope) async throws {
        let application = try makeNotesApplication(
            in: scope,
            configuration: ApplicationConfiguration(
                address: .hostname(hostname, port: port),
                serverName: "notes-server"
            )
        )
        var configuration = ServiceGroupConfiguration(
            services: [application],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: scope.logger
        )
        // A client that never finishes its request must not keep the server from stopping.
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        do {
            try await ServiceGroup(configuration: configuration).run()
        } catch {
            throw ServingError(hostname: hostname, port: port, underlying: error)
        }
    }
}
