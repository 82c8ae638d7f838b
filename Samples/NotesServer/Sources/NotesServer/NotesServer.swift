import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NotesApp
import ScopedInjection
import ServiceLifecycle
import UnixSignals

/// The program that runs the server until it is told to stop.
@main
struct NotesServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes-server",
        abstract: "Serves notes over HTTP and keeps those of each tenant in an SQLite file.",
        usage: "notes-server [<options>]",
        discussion: """
            Every option can be given as an environment variable, too: --database-folder is NOTES_DATABASE_FOLDER. The \
            option goes first. Without an accounts file the server is a demonstration: it listens on 127.0.0.1 only, and \
            says which tokens it accepts.
            """
    )

    @Option(help: "The folder that holds the databases. (default: notes-databases, which is made)")
    var databaseFolder: String?

    @Option(help: "The JSON file that says who may use the server.")
    var accountsFile: String?

    @Option(help: "The address to listen on. (default: 127.0.0.1)")
    var hostname: String?

    @Option(help: "The port to listen on; 0 for any that is free. (default: 8080)")
    var port: String?

    @Option(help: "Seconds after which a request is cancelled. (default: 10)")
    var requestTimeout: String?

    @Option(help: "Days after which notes are deleted. (default: never)")
    var retentionDays: String?

    @Option(help: "The service that is told of new notes. (default: none)")
    var announcementURL: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical. (default: info)")
    var logLevel: String?

    @Option(help: "The JSON file of further settings, which SIGHUP reads again. (default: none)")
    var settingsFile: String?

    /// The options that are given; as text, because they are checked together with the environment's.
    private var options: [String: String] {
        [
            "database-folder": databaseFolder, "accounts-file": accountsFile, "hostname": hostname, "port": port,
            "request-timeout": requestTimeout, "retention-days": retentionDays, "announcement-url": announcementURL,
            "log-level": logLevel, "settings-file": settingsFile,
        ].compactMapValues(\.self)
    }

    func run() async throws {
        let scope = try await EnvironmentScope.withScope(
            "application",
            role: .application,
            closingWithin: Self.closingLimit
        ) { scope in
            scope.provideApplication(options: options, environment: ProcessInfo.processInfo.environment)
        } operation: { scope in
            try await serve(in: scope)
            return scope
        }
        // Else the log says what has not ended.
        if scope.isClosed {
            scope.logger.info("Server stopped: requests and background work are done, databases closed")
        }
    }

    /// What hangs must not keep the program from ending.
    private static let closingLimit = Duration.seconds(10)

    private func serve(in scope: EnvironmentScope) async throws {
        try await scope.checkAtStart()
        let logger = scope.logger
        logger.info("Databases are in \(scope.databaseFolder)")
        let isDemonstration = scope.accountsFile == nil
        let application = try await makeNotesApplication(
            in: scope,
            configuration: ApplicationConfiguration(
                address: .hostname(scope.hostname, port: scope.port),
                serverName: "notes-server"
            ),
            onServerRunning: { channel in
                guard isDemonstration, let port = channel.localAddress?.port else { return }
                print(Demonstration.instructions(port: port))
                fflush(nil)
            }
        )
        var configuration = ServiceGroupConfiguration(
            services: [
                SettingsReloading(scope: scope, signals: await UnixSignalsSequence(trapping: .sighup)), application,
            ],
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: logger
        )
        // A client that never finishes its request must not keep the server from stopping.
        configuration.maximumGracefulShutdownDuration = .seconds(10)
        let group = ServiceGroup(configuration: configuration)
        do {
            try await group.run()
        } catch {
            throw ServingError(hostname: scope.hostname, port: scope.port, underlying: error)
        }
    }
}
