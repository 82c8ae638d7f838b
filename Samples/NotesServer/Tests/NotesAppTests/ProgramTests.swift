import Foundation
import Testing

/// The program itself, as a process.
@Suite struct ProgramTests {
    @Test(arguments: [
        (["--port", "x", "--hostname", "0.0.0.0"], "NOTES_PORT must be a number from 0 to 65535, not 'x'."),
        (
            ["--port", "0", "--hostname", "0.0.0.0"],
            "NOTES_ACCOUNTS_FILE is missing: without accounts the server listens on 127.0.0.1 only, not on '0.0.0.0'."
        ),
    ])
    func whatIsWrongWithTheSettingsIsSaidAndTheStatusIsOne(arguments: [String], reason: String) async throws {
        let outcome = try await run(arguments)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "Error: The server cannot start:\n- \(reason)\n")
    }

    @Test func anOptionOfAnUnknownNameIsAnError() async throws {
        let outcome = try await run(["--prot", "8081"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("Error: Unknown option '--prot'."))
    }

    @Test func helpTellsOfEverySetting() async throws {
        let outcome = try await run(["--help"])
        #expect(outcome.status == 0)
        for option in [
            "database-folder", "accounts-file", "hostname", "port", "request-timeout", "retention-days",
            "announcement-url", "log-level", "settings-file",
        ] {
            #expect(outcome.output.contains("--\(option) "))
        }
        #expect(outcome.output.contains("NOTES_DATABASE_FOLDER"))
    }

    /// What somebody does who has just cloned the repository: start it, paste the line it prints, stop it.
    @Test(.enabled("needs curl") { FileManager.default.isExecutableFile(atPath: "/usr/bin/curl") })
    func withoutAnySettingItServesAndItsOwnExampleWorks() async throws {
        try await withTemporaryDirectory { directory in
            let server = try Program(["--port", "0"], in: directory)
            var example: String?
            for try await line in server.output where line.contains("curl ") {
                example = line
                break
            }
            server.hangUp()
            let answer = try await Shell.run(try #require(example))
            #expect(answer.contains(#""text":"milk","user":"alice""#))
            server.interrupt()
            #expect(await server.status == 0)
            let log = server.log
            let folder = directory.resolvingSymlinksInPath().appending(path: "notes-databases")
            #expect(log.contains("Databases are in \(folder.path)\n"))
            #expect(log.contains("Server stopped"))
            #expect(FileManager.default.fileExists(atPath: folder.appending(path: "north.db").path))
            // The log of SQLite is empty, so the file alone is the database.
            #expect((try? Data(contentsOf: folder.appending(path: "north.db-wal")))?.count ?? 0 == 0)
        }
    }

    private func run(_ arguments: [String]) async throws -> (status: Int32, output: String, errors: String) {
        try await withTemporaryDirectory { directory in
            let program = try Program(arguments, in: directory)
            let lines = try await program.output.reduce(into: "") { $0 += $1 + "\n" }
            return (await program.status, lines, program.log)
        }
    }
}
