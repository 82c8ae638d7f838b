import Configuration
import Foundation
import Hummingbird
import NotesApp
import ScopedInjection
import ServiceLifecycle
import UnixSignals

/// The program that runs the server until it is told to stop.
@main
enum NotesServer {
    static func main() async {
        let configuration = liveConfiguration(
            arguments: CommandLine.arguments,
            environment: ProcessInfo.processInfo.environment
        )
        guard !configuration.bool(forKey: "help", default: false) else { return print(usage) }
        let scope = makeApplicationScope(configuration: configuration)
        do {
            try await serve(in: scope)
        } catch {
            await scope.close()
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
        await scope.close()
    }

    private static func serve(in scope: EnvironmentScope) async throws {
        try scope.checkAtStart()
        let address = BindAddress.hostname(scope.hostname, port: scope.port)
        let application = try makeNotesApplication(
            in: scope,
            configuration: ApplicationConfiguration(address: address, serverName: "notes-server")
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
            throw ServingError(hostname: scope.hostname, port: scope.port, underlying: error)
        }
    }
}
