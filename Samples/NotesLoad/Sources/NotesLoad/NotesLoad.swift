import ArgumentParser
import Foundation

/// Drives a real server from many connections, kills it in the middle, and checks that nothing was mixed up or lost.
@main
struct NotesLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notes-load",
        abstract: "Checks a notes server under load, over loopback only.",
        discussion: """
            Starts the server, which has to be built already, with databases in a temporary folder. Sends it a random \
            mix of writes, reads, failures and cancelled requests. Kills it with SIGKILL half-way, and starts it \
            again. Stops it with SIGTERM at the end, and compares the databases with what it acknowledged. The exit \
            status is 1 where anything does not match.
            """
    )

    @Argument(help: "The server's executable.")
    var server: String

    @Option(help: "How many requests to send.")
    var requests = 200_000

    @Option(help: "How many connections to send them over, one at a time over each.")
    var connections = 64

    @Option(help: "After how many seconds to give up.")
    var seconds = 1_200

    @Flag(help: "Send 5000 requests only.")
    var short = false

    func validate() throws {
        guard FileManager.default.isExecutableFile(atPath: server) else {
            throw ValidationError("There is no program '\(server)'.")
        }
        guard (1...10_000_000).contains(requests) else { throw ValidationError("Between 1 and 10000000 requests.") }
        guard (1...1_000).contains(connections) else { throw ValidationError("Between 1 and 1000 connections.") }
        guard (1...86_400).contains(seconds) else { throw ValidationError("Between 1 and 86400 seconds.") }
    }

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "notes-load-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let check = LoadCheck(
            requests: short ? 5_000 : requests,
            connections: connections,
            limit: .seconds(seconds),
            executable: URL(filePath: server),
            folder: folder
        )
        let report = try await check.run()
        print(report)
        guard report.mismatches.isEmpty else { throw ExitCode.failure }
    }
}
