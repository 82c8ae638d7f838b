import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server that runs as a process of its own.
actor ServerProcess {
    private let executable: URL
    private let arguments: [String]
    private var process: Process?
    private var exit: Task<Int32, Never>?
    private let settingsFile: URL
    private let announcementURL: String
    nonisolated let url: String

    /// - Parameter port: A free port of the loopback interface.
    init(executable: URL, folder: URL, port: Int, announcementPort: Int) {
        self.executable = executable
        url = "http://127.0.0.1:\(port)"
        settingsFile = folder.appending(path: "settings.json")
        announcementURL = "http://127.0.0.1:\(announcementPort)/announcements"
        arguments = [
            "--hostname", "127.0.0.1", "--port", "\(port)",
            "--database-folder", folder.path, "--accounts-file", folder.appending(path: "accounts.json").path,
            "--settings-file", settingsFile.path, "--log-level", "error",
        ]
    }

    /// Starts the server and waits until it answers.
    func start(_ client: HTTPClient) async throws {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        let (exits, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            continuation.yield($0.terminationStatus)
            continuation.finish()
        }
        try process.run()
        self.process = process
        exit = Task {
            for await status in exits { return status }
            return -1
        }
        let start = ContinuousClock.now
        while start.duration(to: .now) < .seconds(120) {
            if try await isHealthy(client) { return }
            guard process.isRunning else { throw ServerFailure(description: "The server ended while starting.") }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw ServerFailure(description: "The server did not answer within two minutes.")
    }

    /// Writes the file of settings; a server that runs reads it after SIGHUP.
    ///
    /// - Parameters:
    ///   - number: What the announcements are sent to from then on.
    ///   - isBad: Whether another of the settings is bad, so that none may count.
    func writeSettings(_ number: Int, isBad: Bool = false) throws {
        let settings = [
            "announcement-url": "\(announcementURL)/\(isBad ? "bad" : "\(number)")",
            // A slow machine is no reason for an answer to be wrong.
            "request-timeout": isBad ? "soon" : "300",
        ]
        try JSONEncoder().encode(settings).write(to: settingsFile, options: .atomic)
    }

    /// Sends a signal.
    func send(_ signal: Int32) {
        guard let process, process.isRunning else { return }
        kill(process.processIdentifier, signal)
    }

    /// Waits for the end of the process, and gives its exit status, or the signal that ended it.
    func waitForExit() async -> Int32? { await exit?.value }

    /// How many requests the server holds open, once they are as many as expected, or after a minute.
    func openRequests(_ client: HTTPClient, expecting expected: Int) async throws -> Int {
        let start = ContinuousClock.now
        while true {
            let health = try await health(client)
            // The request that asks is open itself.
            let open = health["openRequests"].flatMap { Int($0) }.map { $0 - 1 } ?? -1
            if open == expected || start.duration(to: .now) > .seconds(60) { return open }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// How often the server has opened a database since it was started.
    func databaseOpenings(_ client: HTTPClient) async throws -> Int {
        try await health(client)["databaseOpenings"].flatMap { Int($0) } ?? -1
    }

    private func health(_ client: HTTPClient) async throws -> [String: String] {
        let response = try await client.execute(HTTPClientRequest(url: "\(url)/health"), timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 1 << 16)
        return try JSONDecoder().decode([String: String].self, from: Data(body.readableBytesView))
    }

    private func isHealthy(_ client: HTTPClient) async throws -> Bool {
        let response = try? await client.execute(HTTPClientRequest(url: "\(url)/health"), timeout: .seconds(5))
        return response?.status.code == 200
    }

    /// Ports of the loopback interface that were free a moment ago.
    static func freePorts(_ count: Int) async throws -> [Int] {
        var channels: [any Channel] = []
        for _ in 0..<count {
            let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            channels.append(try await bootstrap.bind(host: "127.0.0.1", port: 0).get())
        }
        let ports = channels.compactMap(\.localAddress?.port)
        for channel in channels { try await channel.close() }
        return ports
    }
}

/// Says why there is no server to check.
struct ServerFailure: Error, CustomStringConvertible {
    let description: String
}
