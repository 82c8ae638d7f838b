import Foundation
import Testing

/// The program itself, as a process.
@Suite struct ProgramTests {
    @Test func aProgramWithoutItsSettingsEndsWithStatusOneAndSaysAll() async throws {
        let outcome = try await run(["--port", "x"])
        #expect(outcome.status == 1)
        #expect(
            outcome.errors == """
                The server cannot start:
                - NOTES_PORT must be a number from 0 to 65535, not 'x'.
                - NOTES_ACCOUNTS_FILE is missing: the JSON file that says who may use the server.
                - NOTES_DATABASE_FOLDER is missing: the folder that holds the databases.

                """
        )
    }

    @Test func helpTellsOfEverySetting() async throws {
        let outcome = try await run(["--help"])
        #expect(outcome.status == 0)
        for setting in [
            "DATABASE_FOLDER", "ACCOUNTS_FILE", "HOSTNAME", "PORT", "REQUEST_TIMEOUT", "RETENTION_DAYS",
            "ANNOUNCEMENT_URL", "LOG_LEVEL",
        ] {
            #expect(outcome.output.contains("NOTES_\(setting) "))
            let option = setting.lowercased().replacing("_", with: "-")
            #expect(outcome.output.contains("--\(option) "))
        }
    }

    private func run(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        process.executableURL = builtProgram
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("NOTES_") }
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = {
            exit.yield($0.terminationStatus)
            exit.finish()
        }
        try process.run()
        var status: Int32?
        for await value in exits { status = value }
        return (
            try #require(status),
            String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
            String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        )
    }

    /// The server that was built with the tests.
    private var builtProgram: URL {
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        return (tests ?? URL(filePath: CommandLine.arguments[0]))
            .deletingLastPathComponent().appending(path: "notes-server")
    }
}
